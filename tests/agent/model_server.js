#!/usr/bin/env node
// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
//
// A model that says what a script tells it to: the Responses protocol that Codex CLI speaks.
//
// usage: model_server.js PORT SCRIPT OUTPUT [SECONDS]
//
// SCRIPT is a JSON array of shell commands. Each request of the agent is answered with the next
// command as a call of its shell tool, the last one with a message. What the agent reports for
// each command is written to OUTPUT as a JSON array of { command, output }, anew after every
// request, so that it is whole whenever the agent ends. PORT 0 takes a free one; the port is
// printed once the server listens. It ends after SECONDS (default 300), on SIGTERM, or when a
// request exceeds what a scripted session can need.
"use strict";

const fs = require("node:fs");
const http = require("node:http");

const MAX_REQUEST_BYTES = 16 * 1024 * 1024;
const MAX_REQUESTS_BEYOND_SCRIPT = 8;

class Session {
	constructor(commands, outputFile) {
		this.commands = commands;
		this.outputFile = outputFile;
		this.nRequests = 0;
		this.nSent = 0;
		this.outputs = new Map();
		this.save();
	}

	// Requests repeat the whole conversation, so outputs are kept by call.
	record(input) {
		for (const item of Array.isArray(input) ? input : [])
			if (item.type === "function_call_output")
				this.outputs.set(item.call_id, textOf(item.output));
		this.save();
	}

	save() {
		const results = this.commands.map((command, i) => ({
			command,
			output: this.outputs.get(callId(i)) ?? null,
		}));
		fs.writeFileSync(this.outputFile, JSON.stringify(results, null, "\t") + "\n");
	}

	nextItem() {
		if (this.nSent === this.commands.length)
			return {
				type: "message",
				role: "assistant",
				id: "message",
				content: [{ type: "output_text", text: "done" }],
			};
		const id = callId(this.nSent);
		const cmd = this.commands[this.nSent++];
		return {
			type: "function_call",
			id,
			call_id: id,
			name: "exec_command",
			arguments: JSON.stringify({ cmd, yield_time_ms: 30000 }),
		};
	}
}

function callId(i) {
	return `call_${i}`;
}

// An output is a string or a list of parts.
function textOf(output) {
	if (Array.isArray(output))
		return output.map((part) => part.text ?? "").join("");
	return typeof output === "string" ? output : JSON.stringify(output);
}

function sendItem(response, item) {
	const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
	const events = [
		{ type: "response.created", response: { id: "response" } },
		{ type: "response.output_item.done", output_index: 0, item },
		{ type: "response.completed", response: { id: "response", usage } },
	];

	response.writeHead(200, { "content-type": "text/event-stream" });
	for (const event of events)
		response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
	response.end();
}

async function readBody(request) {
	const chunks = [];
	let size = 0;

	for await (const chunk of request) {
		size += chunk.length;
		if (size > MAX_REQUEST_BYTES)
			die(`a request of more than ${MAX_REQUEST_BYTES} bytes`);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString();
}

async function answer(session, request, response) {
	const body = await readBody(request);

	if (request.method !== "POST" || request.url !== "/v1/responses") {
		response.writeHead(404).end();
		return;
	}
	if (++session.nRequests > session.commands.length + MAX_REQUESTS_BEYOND_SCRIPT)
		die(`more than ${session.nRequests - 1} requests: the agent does not end`);
	session.record(JSON.parse(body).input);
	sendItem(response, session.nextItem());
}

function die(text) {
	console.error(`model_server: ${text}`);
	process.exit(1);
}

function readScript(path) {
	const commands = JSON.parse(fs.readFileSync(path, "utf8"));

	if (!Array.isArray(commands) || !commands.every((command) => typeof command === "string"))
		die(`${path}: not a JSON array of strings`);
	return commands;
}

function main([port, script, output, seconds = "300"]) {
	if (!output || !/^\d+$/.test(port) || !/^\d+$/.test(seconds))
		die("usage: model_server.js PORT SCRIPT OUTPUT [SECONDS]");
	const session = new Session(readScript(script), output);
	const server = http.createServer((request, response) =>
		answer(session, request, response).catch((error) => die(error.message)),
	);

	server.on("error", (error) => die(error.message));
	server.listen(Number(port), "127.0.0.1", () => console.log(server.address().port));
	setTimeout(() => die(`no end after ${seconds} seconds`), seconds * 1000);
	process.on("SIGTERM", () => process.exit(0));
}

main(process.argv.slice(2));

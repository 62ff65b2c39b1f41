# SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
# ringfence. `make help` lists the targets; all output goes to build/.

# ---- Settings -----------------------------------------------------------------------------------
CC ?= gcc
CLANG ?= clang
BPFTOOL ?= $(firstword $(shell command -v bpftool) /usr/sbin/bpftool)
PREFIX ?= /usr/local
DESTDIR ?=
SANITIZE ?=
KERNELS ?= 6.1 6.12 newest
FUZZ_SECONDS ?= 60
V ?= 0

BUILD := build
VERSION := $(shell cat VERSION)

ifeq ($(V),1)
Q :=
say =
else
Q := @
say = @printf '  %-8s %s\n' '$(1)' '$(2)';
endif

.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all

# ---- Flags --------------------------------------------------------------------------------------
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-function
ifeq ($(CI),true)
WARNINGS += -Werror
endif
CFLAGS ?= -O2 -g
CPPFLAGS := -D_GNU_SOURCE -DRINGFENCE_VERSION='"$(VERSION)"' -DPOLICY_DIR='"$(PREFIX)/share/ringfence/policy"' \
	-Iinclude -Iuser -I$(BUILD)
HARDENING := -fPIE -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
ifneq ($(SANITIZE),)
HARDENING := -fPIE -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all
BUILD := build/sanitize
endif
USER_CFLAGS = -std=gnu17 $(WARNINGS) $(CFLAGS) $(HARDENING) $(CPPFLAGS) -MMD -MP
LDFLAGS_ALL = -pie -Wl,-z,relro,-z,now $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LDFLAGS)
LIBS := -lbpf -lelf -lz
BPF_CFLAGS := -std=gnu11 -O2 -g -Wall -Werror -mcpu=v3 -target bpf -D__bpf__ -Iinclude -Ivmlinux -Ibpf -MMD -MP

# ---- BPF objects and skeleton -------------------------------------------------------------------
$(BUILD)/%.bpf.o: bpf/%.bpf.c
	$(call say,BPF,$<)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(BUILD)/%.skel.h: $(BUILD)/%.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name $(subst .,_,$*)_bpf > $@

# ---- The program --------------------------------------------------------------------------------
USER_SOURCES := $(sort $(wildcard user/*.c user/*/*.c))
USER_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(USER_SOURCES))
# Everything but main: what unit tests and fuzzers link with. kernel/ and cli/ need the skeleton.
PURE_SOURCES := $(sort $(wildcard user/base/*.c user/compiler/*.c user/events/*.c user/launch/*.c))
PURE_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(PURE_SOURCES))

$(filter $(BUILD)/user/kernel/%.o,$(USER_OBJECTS)): | $(BUILD)/ringfence.skel.h

$(BUILD)/%.o: %.c
	$(call say,CC,$<)mkdir -p $(@D)
	$(Q)$(CC) $(USER_CFLAGS) -c $< -o $@

$(BUILD)/ringfence: $(USER_OBJECTS)
	$(call say,LINK,$@)$(CC) $(LDFLAGS_ALL) $^ $(LIBS) -o $@

all: $(BUILD)/ringfence ## Build the program

# ---- Tests --------------------------------------------------------------------------------------
# Lets tests fail the N-th allocation.
FAIL_ALLOC := malloc calloc realloc reallocarray strdup strndup asprintf vasprintf
FAIL_ALLOC_LDFLAGS := $(FAIL_ALLOC:%=-Wl,--wrap=%)

UNIT_SOURCES := $(sort $(wildcard tests/unit/*_test.c))
UNIT_TESTS := $(UNIT_SOURCES:%.c=$(BUILD)/%)
TEST_LIB_SOURCES := $(filter-out tests/lib/harness.c tests/lib/probe.c tests/lib/fence_fixture.c \
	tests/lib/expect_event.c,$(sort $(wildcard tests/lib/*.c)))
TEST_LIB := $(TEST_LIB_SOURCES:%.c=$(BUILD)/%.o)

$(UNIT_TESTS:%=%.o) $(TEST_LIB): CPPFLAGS += -Itests

$(UNIT_TESTS): $(BUILD)/%: $(BUILD)/%.o $(TEST_LIB) $(PURE_OBJECTS)
	$(call say,LINK,$@)$(CC) $(LDFLAGS_ALL) $(FAIL_ALLOC_LDFLAGS) $^ -lcmocka -lutil -o $@

unit-tests: $(UNIT_TESTS) ## Build the unit tests (SANITIZE=address,undefined)

# Sanitized output has a folder of its own, so that both can be there at once.
check-unit: ## Run the unit tests under sanitizers
	$(Q)$(MAKE) --no-print-directory SANITIZE=address,undefined unit-tests
	$(Q)tests/run_unit build/sanitize/tests/unit

# What runs in the VM: tests of the kernel side, and attempts to get around it.
VM_TEST_LIB := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard tests/lib/*.c)))
KERNEL_TEST_PARTS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out %_test.c %.bpf.c,$(sort $(wildcard tests/kernel/*.c))))
KERNEL_TESTS := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/kernel/*_test.c)))
ESCAPE_PARTS := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard tests/escape/*.c tests/escape/files/*.c)))
# The parts of the program that they look into: all but the commands themselves.
INSIDE_OBJECTS := $(filter-out $(BUILD)/user/main.o $(BUILD)/user/cli/%,$(USER_OBJECTS)) \
	$(BUILD)/user/cli/explain_object.o $(BUILD)/user/cli/mount_road.o

$(KERNEL_TESTS:%=%.o) $(KERNEL_TEST_PARTS) $(ESCAPE_PARTS) $(VM_TEST_LIB): CPPFLAGS += -Itests -Itests/kernel
$(KERNEL_TESTS:%=%.o) $(KERNEL_TEST_PARTS): | $(BUILD)/ringfence.skel.h $(BUILD)/verdict_same.skel.h

$(BUILD)/verdict_same.bpf.o: tests/kernel/verdict_same.bpf.c
	$(call say,BPF,$<)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -Wno-unused-function -Itests/kernel -c $< -o $@

# Archives, so that a test gets what it uses, and may stand in for a part of the program.
$(BUILD)/libprogram.a: $(INSIDE_OBJECTS)
$(BUILD)/libtest.a: $(VM_TEST_LIB)
$(BUILD)/libkernel_test.a: $(KERNEL_TEST_PARTS)
$(BUILD)/lib%.a:
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $^

VM_TEST_LIBS := $(BUILD)/libkernel_test.a $(BUILD)/libtest.a $(BUILD)/libprogram.a

$(KERNEL_TESTS): $(BUILD)/%: $(BUILD)/%.o $(VM_TEST_LIBS)
	$(call say,LINK,$@)$(CC) $(LDFLAGS_ALL) $^ $(LIBS) -lutil -o $@

$(BUILD)/tests/escape/files_test: $(ESCAPE_PARTS) $(VM_TEST_LIBS)
	$(call say,LINK,$@)$(CC) $(LDFLAGS_ALL) $^ $(LIBS) -lutil -o $@

kernel-tests: $(KERNEL_TESTS) $(BUILD)/tests/escape/files_test

FUZZERS := policy event
FUZZ_SOURCES := $(sort $(wildcard user/base/*.c user/compiler/*.c user/events/*.c))

$(BUILD)/tests/fuzz/%_fuzz: tests/fuzz/%_fuzz.c $(FUZZ_SOURCES)
	$(call say,FUZZ,$@)mkdir -p $(@D)
	$(Q)$(CLANG) -std=gnu17 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
		$(CPPFLAGS) -Itests $^ -lcjson -o $@

fuzz: $(FUZZERS:%=$(BUILD)/tests/fuzz/%_fuzz) ## Fuzz each parser for FUZZ_SECONDS
	$(Q)tests/fuzz/run $(BUILD)/tests/fuzz $(FUZZ_SECONDS) $(FUZZERS)

lint: ## Check sources, scripts and generated documentation
	$(Q)tests/lint/run

# ---- The two commands ---------------------------------------------------------------------------
demo: ## Install what is missing, build, show a fenced agent at work
	$(Q)tests/install_dependencies
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/demo/run

check: ## Install what is missing, run every test; the last line counts them
	$(Q)tests/install_dependencies
	$(Q)tests/check

-include $(shell find build -name '*.d' 2>/dev/null)

clean: ## Remove all output
	rm -rf build

help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 20

.PHONY: all check check-unit clean demo fuzz help kernel-tests lint unit-tests

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
LIBS := -lbpf -lelf -lz -lcjson
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

$(BUILD)/user/kernel/%.o: | $(BUILD)/ringfence.skel.h

$(BUILD)/%.o: %.c
	$(call say,CC,$<)mkdir -p $(@D)
	$(Q)$(CC) $(USER_CFLAGS) -c $< -o $@

$(BUILD)/ringfence: $(USER_OBJECTS)
	$(call say,LINK,$@)$(CC) $(LDFLAGS_ALL) $^ $(LIBS) -o $@

all: $(BUILD)/ringfence ## Build the program

# ---- Tests --------------------------------------------------------------------------------------
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(sort $(wildcard tests/unit/*_test.c)))
TEST_LIB := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard tests/lib/*.c)))

$(BUILD)/tests/%.o $(BUILD)/tests/lib/%.o: CPPFLAGS += -Itests

$(UNIT_TESTS): $(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(TEST_LIB) $(PURE_OBJECTS)
	$(call say,LINK,$@)$(CC) $(LDFLAGS_ALL) $^ -lcmocka -lcjson -o $@

unit-tests: $(UNIT_TESTS)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

clean: ## Remove all output
	rm -rf build

help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 20

.PHONY: all clean help unit-tests

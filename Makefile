# make demo      build xopt, measure the kernels of a JPEG encoder here, search the best mapping, run it
# make test      install what the tests need, check the code, and run the short ring of tests
# make test-all  the same with all tests, those of -tags clp, and for races
# make setup     install the Debian packages that the tests need
# make build     build ./xopt
# make bench     run the benchmarks

GO       ?= go
PACKAGES := coinor-libclp-dev pkg-config gcc g++ libjpeg-turbo-progs verilator yosys iverilog ghdl nextpnr-ice40 fpga-icestorm fpga-icestorm-chipdb z3 chromium strace

# What the tests do is written down here, for make slowest.
EVENTS   := .tests
RUN      := $(GO) tool gotestsum --format pkgname --hide-summary skipped --jsonfile-timing-events

# Limits only end what hangs: they hold on a machine that has ten times as much to do.
SHORT    := 60m
FULL     := 180m

.PHONY: demo build setup check check-clp test test-all test-full test-clp test-race slowest bench

demo:
	@mkdir -p demo
	CGO_ENABLED=0 $(GO) build -o demo/xopt ./cmd/xopt
	@sh bench/apps/demo.sh demo/xopt demo

build:
	CGO_ENABLED=0 $(GO) build -o xopt ./cmd/xopt

test: setup check
	@mkdir -p $(EVENTS)
	CGO_ENABLED=0 $(RUN) $(EVENTS)/short.json -- -short -vet=off -timeout $(SHORT) ./...

test-all: setup check check-clp test-full test-clp test-race

test-full:
	@mkdir -p $(EVENTS)
	CGO_ENABLED=0 $(RUN) $(EVENTS)/full.json -- -vet=off -timeout $(FULL) ./...

# What the tag changes, and no more.
test-clp:
	@mkdir -p $(EVENTS)
	$(RUN) $(EVENTS)/clp.json -- -tags clp -vet=off -timeout $(FULL) \
	  -run 'CLP|Agree|Relaxation|Proof|Scripts/(eval|usage)' ./flow ./mapper ./cmd/xopt

# Where there are goroutines.
test-race:
	@mkdir -p $(EVENTS)
	$(RUN) $(EVENTS)/race.json -- -race -short -vet=off -timeout $(FULL) \
	  ./mapper ./internal/cache ./internal/deploy/... ./internal/measure ./internal/rtl

# The 20 slowest tests of the rings that have run.
slowest:
	@cat $(EVENTS)/*.json | $(GO) tool gotestsum tool slowest --num 20

check:
	@unformatted=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt: $$unformatted"; exit 1; fi
	CGO_ENABLED=0 $(GO) vet ./...
	CGO_ENABLED=0 $(GO) tool staticcheck ./...

check-clp:
	$(GO) vet -tags clp ./...
	$(GO) tool staticcheck -tags clp ./...

# Installs only what is missing; as root, or through sudo.
setup:
	@missing=""; for p in $(PACKAGES); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'install ok installed' || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then \
	  echo "installing$$missing"; \
	  sudo=""; if [ "$$(id -u)" != 0 ]; then sudo=sudo; fi; \
	  if ! command -v apt-get >/dev/null || { [ -n "$$sudo" ] && ! command -v sudo >/dev/null; }; then \
	    echo "the tests need the Debian packages$$missing; install them and run make again"; exit 1; fi; \
	  $$sudo apt-get update -q && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -q $$missing; fi

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./flow ./mapper ./queueing ./internal/xlang
	@if pkg-config --exists clp 2>/dev/null; then \
	  $(GO) test -timeout 60m -tags clp -run '^$$' -bench 'FullLPSolve|ScoredMove' -benchmem ./flow; \
	else echo "CLP is not installed (Debian: coinor-libclp-dev): no full LP beside the rates above"; fi

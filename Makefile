# make demo    build xopt, search mappings of JPEG, and run one on two cores
# make test    install what Debian packages the tests need, and run every test
# make build   build ./xopt
# make bench   run the benchmarks

GO       ?= go
PACKAGES := coinor-libclp-dev pkg-config gcc g++ libjpeg-turbo-progs verilator yosys iverilog ghdl nextpnr-ice40 fpga-icestorm fpga-icestorm-chipdb z3 chromium strace

.PHONY: demo build test check packages bench

demo:
	mkdir -p demo
	CGO_ENABLED=0 $(GO) build -o demo/xopt ./cmd/xopt
	demo/xopt search configs/examples/beard-jpeg/app.x configs/examples/beard-jpeg/arch.x -o demo/jpeg
	demo/xopt deploy bench/apps/jpeg/app.x bench/apps/jpeg/arch.x bench/apps/jpeg/map.x --elements 500 --output demo/pictures.jpg

build:
	CGO_ENABLED=0 $(GO) build -o xopt ./cmd/xopt

# The scripts of kernels in hardware and of calibrations take minutes: they run once. How wide
# tables are has nothing to do with races.
test: packages check
	CGO_ENABLED=0 $(GO) test -timeout 60m ./...
	$(GO) test -timeout 60m -short -tags clp -skip Scripts/hardware ./flow ./cmd/xopt
	$(GO) test -timeout 60m -tags clp -run 'Relaxation|Proof' ./mapper
	$(GO) test -timeout 60m -short -race -skip 'TerminalWidth|Scripts/(hardware|calibrate)' ./flow ./mapper ./queueing ./cmd/xopt

check:
	@unformatted=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt: $$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags clp ./...
	$(GO) tool staticcheck ./...
	$(GO) tool staticcheck -tags clp ./...

# Installs only what is missing; as root, or through sudo.
packages:
	@missing=""; for p in $(PACKAGES); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'install ok installed' || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then \
	  echo "installing$$missing"; \
	  sudo=""; if [ "$$(id -u)" != 0 ]; then sudo=sudo; fi; \
	  if ! command -v apt-get >/dev/null || { [ -n "$$sudo" ] && ! command -v sudo >/dev/null; }; then \
	    echo "the tests need the Debian packages$$missing; install them and run make test again"; exit 1; fi; \
	  $$sudo apt-get update -q && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -q $$missing; fi

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./flow ./mapper ./queueing ./internal/xlang
	@if pkg-config --exists clp 2>/dev/null; then \
	  $(GO) test -timeout 60m -tags clp -run '^$$' -bench 'FullLPSolve|ScoredMove' -benchmem ./flow; \
	else echo "CLP is not installed (Debian: coinor-libclp-dev): no full LP beside the rates above"; fi

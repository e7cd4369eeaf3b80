# make demo      build xopt, measure the kernels of a JPEG encoder here, search the best mapping, run it
# make test      install what the tests need, check the code, and run the short ring of tests
# make test-all  the same with all tests, those of -tags clp, and for races
# make setup     install the Debian packages that the tests need
# make build     build ./xopt, and ./xbench, which measures xopt itself
# make results   measure everything that docs/results shows, but for the papers' experiments
# make slurm-up  start a Slurm of four nodes on this machine, in .slurm, to try campaigns on; make slurm-down ends it
# make bench     run the benchmarks of Go's packages, into docs/results/speed.txt

GO       ?= go
PACKAGES := coinor-libclp-dev coinor-cbc metis pkg-config gcc g++ gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libjpeg-turbo-progs verilator yosys iverilog ghdl nextpnr-ice40 fpga-icestorm fpga-icestorm-chipdb chromium strace \
            slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge libfaketime openssh-server openssh-client iperf3 libzmq3-dev libtbb-dev iproute2
# With their recommended packages, these need another gigabyte.
LEAN     := gnuradio gnuradio-dev

# What the tests do is written down here, for make slowest.
EVENTS   := .tests
RUN      := $(GO) tool gotestsum --format pkgname --hide-summary skipped --jsonfile-timing-events

# Garbage collection takes up to a third of the processor time of tests; they have memory to spare.
COLLECT  := GOGC=400

# Tests compile some hundred simulations, and most of them run for a moment.
SIMULATE := $(COLLECT) CXXFLAGS=-O1

# Tests of programs use less than half a core: they wait for processes, Slurm, hosts and time limits. -parallel runs
# others meanwhile.
PARALLEL := 3

# The slowest packages start first, so that the last minutes still have work for every core.
FIRST    := ./cmd/xopt ./deploy/run ./deploy/xsim ./bench/apps

# -count=1: Go would remember every file that a test opens, and a test of programs that are built opens millions.
# PURE packages only compute. Go stores their results and does not test them again while they are unchanged. If a test
# fails in one pass, the other runs nevertheless.
PURE      = $$($(GO) list ./flow/... ./mapper/... ./queueing/... | grep -v -e flow/machine -e mapper/solvers)
PROGRAMS  = $(FIRST) $$($(GO) list ./... | \
              grep -v -e ^xopt/flow -e ^xopt/mapper -e ^xopt/queueing) ./flow/machine ./mapper/solvers
# Limits only end what hangs: they hold on a machine that has ten times as much to do.
SHORT    := 60m
FULL     := 180m

.PHONY: demo build setup check check-clp test test-all test-full test-clp test-race slowest results bench slurm-up slurm-down

demo:
	@mkdir -p demo
	CGO_ENABLED=0 $(GO) build -o demo/xopt ./cmd/xopt
	@sh bench/apps/demo.sh demo/xopt demo

build:
	CGO_ENABLED=0 $(GO) build -o xopt ./cmd/xopt
	CGO_ENABLED=0 $(GO) build -o xbench ./cmd/xbench

test: setup check
	@mkdir -p $(EVENTS)
	@failed=0; \
	CGO_ENABLED=0 $(COLLECT) $(RUN) $(EVENTS)/short-pure.json -- -short -vet=off -timeout $(SHORT) $(PURE) || failed=1; \
	CGO_ENABLED=0 $(SIMULATE) $(RUN) $(EVENTS)/short.json -- -short -count=1 -parallel $(PARALLEL) -vet=off -timeout $(SHORT) $(PROGRAMS) || failed=1; \
	exit $$failed

test-all: setup check check-clp test-full test-clp test-race

test-full:
	@mkdir -p $(EVENTS)
	@failed=0; \
	CGO_ENABLED=0 $(COLLECT) $(RUN) $(EVENTS)/full-pure.json -- -vet=off -timeout $(FULL) $(PURE) || failed=1; \
	CGO_ENABLED=0 $(SIMULATE) $(RUN) $(EVENTS)/full.json -- -count=1 -parallel $(PARALLEL) -vet=off -timeout $(FULL) $(PROGRAMS) || failed=1; \
	exit $$failed

# What the tag changes, and no more.
test-clp:
	@mkdir -p $(EVENTS)
	$(COLLECT) $(RUN) $(EVENTS)/clp.json -- -tags clp -vet=off -timeout $(FULL) \
	  -run 'CLP|Agree|Relaxation|Proof|Scripts/(eval|usage)' ./flow ./mapper ./cmd/xopt

# Where there are goroutines. Comparisons with slow twins, and estimates of queues, which have no goroutines, are left
# out: a race takes ten times as long to look for, and goroutines do in them what they do in the others.
TWINS := ^Test(CutNeverWrong|Proof|ProofSeveralSources|CyclicProof|ContentionProof|CopiesBound|Measures|Goals|FindsOptimum|AgainstCBC|LatencyOfScorerAndNetwork|RangesNeverWrong|RangesBound|ExactKeepsLimits|ResumeBranches|EstimateQueue|EstimateRefuted|EstimateLate|EstimateFrames)$$
test-race:
	@mkdir -p $(EVENTS)
	$(SIMULATE) $(RUN) $(EVENTS)/race.json -- -race -short -vet=off -timeout $(FULL) -skip '$(TWINS)' \
	  ./mapper ./internal/cache ./cmd/internal/campaign/... ./hdl/rtl \
	  ./deploy ./deploy/measure ./deploy/program ./deploy/run ./deploy/wire

# The 20 slowest tests of the rings that have run.
slowest:
	@cat $(EVENTS)/*.json | $(GO) tool gotestsum tool slowest --num 20

check:
	@unformatted=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt: $$unformatted"; exit 1; fi
	CGO_ENABLED=0 $(GO) vet ./...
	CGO_ENABLED=0 $(GO) tool staticcheck ./...

# Only these packages have files that the tag adds or removes; check covers the others.
check-clp:
	$(GO) vet -tags clp ./flow ./cmd/xopt
	$(GO) tool staticcheck -tags clp ./flow ./cmd/xopt

# Installs only what is missing; as root, or through sudo.
setup:
	@install() { \
	  flags=$$1; shift; missing=""; \
	  for p in "$$@"; do \
	    dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'install ok installed' || missing="$$missing $$p"; done; \
	  if [ -z "$$missing" ]; then return; fi; \
	  echo "installing$$missing"; \
	  sudo=""; if [ "$$(id -u)" != 0 ]; then sudo=sudo; fi; \
	  if ! command -v apt-get >/dev/null || { [ -n "$$sudo" ] && ! command -v sudo >/dev/null; }; then \
	    echo "the tests need the Debian packages$$missing; install them and run make again"; return 1; fi; \
	  $$sudo apt-get update -q && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -q $$flags $$missing; }; \
	install --install-recommends $(PACKAGES) && install --no-install-recommends $(LEAN)

# A Slurm of four virtual nodes; what it prints is for the shell: eval "$(make -s slurm-up)"
slurm-up:
	@cmd/internal/campaign/testcluster/slurm.sh up .slurm

slurm-down:
	@cmd/internal/campaign/testcluster/slurm.sh down .slurm

# The pages that docs/results holds, in about four hours on two quiet cores; xbench
# paper -o docs/results takes another hour. Profiles go where nothing keeps them.
RESULTS  := docs/results
PROFILES := .results

results: build
	@mkdir -p $(RESULTS) $(PROFILES)
	./xbench ring --runs 7 --window 300ms --md $(RESULTS)/ring.md
	./xbench rivals --md $(RESULTS)/rivals.md
	./xbench network --md $(RESULTS)/network.md
	if [ "$$(id -u)" = 0 ]; then ./xbench hosts --md $(RESULTS)/hosts.md; else echo "xbench hosts needs root"; fi
	./xbench queues --md $(RESULTS)/queues.md
	./xbench queues --virtual --md $(RESULTS)/virtual-queues.md
	./xbench taps --runs 15 --window 200ms --md $(RESULTS)/taps.md
	./xbench sharing --runs 3 --md $(RESULTS)/sharing.md
	./xbench buffers --md $(RESULTS)/buffers.md
	./xbench search --time 500ms --tasks 40,80 --graphs 2 --md $(RESULTS)/search.md
	./xbench proofs --md $(RESULTS)/proofs.md
	./xbench arena --time 10s --md $(RESULTS)/arena.md
	./xbench gnuradio --md $(RESULTS)/gnuradio.md
	./xopt calibrate bench/apps/jpeg/app.x bench/apps/jpeg/arch.x --elements 20 --budget 60s \
	  -o $(PROFILES)/jpeg.profile.json --quiet
	./xopt validate bench/apps/jpeg/app.x bench/apps/jpeg/arch.x --profile $(PROFILES)/jpeg.profile.json \
	  --random 8 --md $(RESULTS)/jpeg.md
	./xopt calibrate bench/apps/laplace/app.x bench/apps/laplace/arch.x --budget 60s \
	  -o $(PROFILES)/laplace.profile.json --quiet
	./xopt validate bench/apps/laplace/app.x bench/apps/laplace/arch.x --profile $(PROFILES)/laplace.profile.json \
	  --random 8 --md $(RESULTS)/laplace.md
	./xopt calibrate bench/apps/des/app.x bench/apps/des/arch.x --elements 20000 --budget 60s \
	  -o $(PROFILES)/des.profile.json --quiet
	./xopt validate bench/apps/des/app.x bench/apps/des/arch.x --profile $(PROFILES)/des.profile.json \
	  --random 8 --md $(RESULTS)/des.md
	./xbench xsim --md $(RESULTS)/xsim.md
	./xbench replay --md $(RESULTS)/replay.md
	./xbench clocks --md $(RESULTS)/clocks.md
	./xopt calibrate bench/apps/jpeg/app.x bench/apps/jpeg/hybrid.x --elements 20 --budget 180s \
	  -o $(PROFILES)/hybrid.profile.json --quiet
	./xopt validate bench/apps/jpeg/app.x bench/apps/jpeg/hybrid.x --profile $(PROFILES)/hybrid.profile.json \
	  --from profile --random 3 --md $(RESULTS)/jpeg-fpga.md
	./xbench hardware --md $(RESULTS)/hardware.md

# The head says when, of which commit and beside how much else; what follows is what go test prints.
bench:
	@mkdir -p $(RESULTS)
	@{ printf '# make bench, %s, commit %s, load average %s\n' "$$(date -u '+%Y-%m-%d %H:%M UTC')" \
	    "$$(git rev-parse --short HEAD)" "$$(cut -d ' ' -f 1 /proc/loadavg)"; \
	  CGO_ENABLED=0 $(GO) test -run '^$$' -bench . -benchmem ./flow ./mapper ./queueing ./flow/xlang || echo FAILED; \
	  if pkg-config --exists clp 2>/dev/null; then \
	    $(GO) test -timeout 60m -tags clp -run '^$$' -bench 'FullLPSolve|ScoredMove' -benchmem ./flow || echo FAILED; \
	  else echo "# CLP is not installed (Debian: coinor-libclp-dev): no full LP beside the rates above"; fi; \
	} | tee $(RESULTS)/speed.txt; ! grep -q FAILED $(RESULTS)/speed.txt

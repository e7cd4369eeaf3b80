// streams.h: replaces the output of a model.
#include "record.h"
#ifndef TAP_WORDS
#define TAP_WORDS 3
#endif
#define TAPS (TAP_WORDS > 0)
#define TAP_BINS 128
#define TAP_STATES 1
#define TAP_HISTOGRAMS 1
static const enum record_merge tap_merge[] = {MERGE_SUM, MERGE_MIN, MERGE_NONE};
static const unsigned tap_states[] = {0, 0};
static const bool part_drains[] = {true};
static std::vector<Stream> streams(Vk *k) {
    return {
        {"in", true, 4, (uint8_t *)&k->in_tdata, &k->in_tvalid, &k->in_tready},
        {"out", false, 4, (uint8_t *)&k->out_tdata, &k->out_tvalid, &k->out_tready},
    };
}
static std::vector<ProbeLook> probe_looks(Vk *k) { return {{&k->seen0_state0, sizeof k->seen0_state0, &k->put, &k->got, 3, true}}; }
static std::vector<CData *> part_clocks(Vk *) { return {nullptr}; }
static std::vector<PartLook> part_looks(Vk *k) {
    return {{&k->seen0_valid, &k->seen0_ready, sizeof k->seen0_valid, &k->seen0_ask,
             Cycles(2u, 1u, {Machine{&k->seen0_state0, sizeof k->seen0_state0, {0u, 1u}}})}};
}

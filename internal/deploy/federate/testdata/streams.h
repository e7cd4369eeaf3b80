// streams.h: in place of what is made of a model.
#include "record.h"
#ifndef TAP_WORDS
#define TAP_WORDS 3
#endif
#define TAP_BINS 128
#define TAP_HISTOGRAMS 1
static const enum record_merge tap_merge[] = {MERGE_SUM, MERGE_MIN, MERGE_NONE};
static const char part_drains[] = "1";
static std::vector<Stream> streams(Vk *k) {
    return {
        {"in", true, 4, (uint8_t *)&k->in_tdata, &k->in_tvalid, &k->in_tready},
        {"out", false, 4, (uint8_t *)&k->out_tdata, &k->out_tvalid, &k->out_tready},
    };
}

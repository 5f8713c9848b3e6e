// Stands in for the header miniaudio, of which the Go module of Ollama has no copy. It declares what is called of it; every call
// fails, so that the server refuses audio and does all else as ever.
#pragma once

#include <cstddef>
#include <cstdint>

typedef uint32_t ma_uint32;
typedef uint64_t ma_uint64;
typedef int ma_result;

enum { MA_SUCCESS = 0, MA_ERROR = -1 };
enum { ma_format_f32 = 5 };

struct ma_decoder_config {};
struct ma_decoder {};

static inline ma_decoder_config ma_decoder_config_init(int, ma_uint32, ma_uint32) { return {}; }
static inline ma_result ma_decoder_init_memory(const void *, size_t, const ma_decoder_config *, ma_decoder *) { return MA_ERROR; }
static inline ma_result ma_decoder_get_length_in_pcm_frames(ma_decoder *, ma_uint64 *) { return MA_ERROR; }
static inline ma_result ma_decoder_read_pcm_frames(ma_decoder *, void *, ma_uint64, ma_uint64 *) { return MA_ERROR; }
static inline ma_result ma_decoder_uninit(ma_decoder *) { return MA_ERROR; }

/*
 * nvtx_cuda.c: calls of NVTX 3, a header-only library. A profiler sets NVTX_INJECTION64_PATH to a library;
 * without one, each call is a test and a return.
 */
#include "runtime/traced.h"
#include <nvtx3/nvToolsExt.h>

const bool gndi_nvtx_built = true;

static nvtxDomainHandle_t domain;
static gndi_once once;

static void make_domain(void) {
    domain = nvtxDomainCreateA("gnd");
}

static nvtxEventAttributes_t named(const char *name) {
    gndi_once_do(&once, make_domain);
    return (nvtxEventAttributes_t){.version = NVTX_VERSION,
                                   .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                   .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                   .message.ascii = name};
}

void gndi_nvtx_push(const char *name) {
    const nvtxEventAttributes_t event = named(name);
    nvtxDomainRangePushEx(domain, &event);
}

void gndi_nvtx_pop(void) {
    nvtxDomainRangePop(domain);
}

void gndi_nvtx_mark(const char *name) {
    const nvtxEventAttributes_t event = named(name);
    nvtxDomainMarkEx(domain, &event);
}

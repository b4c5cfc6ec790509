// What Swift cannot reach of libcurl: variadic functions and unions.
#ifndef PIPPIN_CCURL_SHIM_H
#define PIPPIN_CCURL_SHIM_H

#include <curl/curl.h>
#include <string.h>

static inline CURLcode pippin_curl_set_number(CURL *_Nonnull easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode pippin_curl_set_size(CURL *_Nonnull easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

// libcurl copies the text, but for CURLOPT_POSTFIELDS.
static inline CURLcode pippin_curl_set_text(
    CURL *_Nonnull easy, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode pippin_curl_set_fields(
    CURL *_Nonnull easy, CURLoption option, struct curl_slist *_Nullable fields) {
    return curl_easy_setopt(easy, option, fields);
}

// The callbacks of one transfer; all of them get `context`.
static inline void pippin_curl_set_callbacks(
    CURL *_Nonnull easy, void *_Nonnull context, curl_write_callback _Nonnull body,
    curl_write_callback _Nonnull field, curl_opensocket_callback _Nonnull open,
    curl_prereq_callback _Nonnull connected) {
    curl_easy_setopt(easy, CURLOPT_PRIVATE, context);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, field);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, connected);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

// What is uploaded comes from `read`, which gets `context`.
static inline void pippin_curl_set_upload(
    CURL *_Nonnull easy, void *_Nonnull context, curl_read_callback _Nonnull read, curl_off_t size) {
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
    curl_easy_setopt(easy, CURLOPT_READDATA, context);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, size);
}

static inline long pippin_curl_status(CURL *_Nonnull easy) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

// The certificate the server proved itself with, in PEM, of a transfer that asked for it; NULL when there is none.
static inline const char *_Nullable pippin_curl_certificate(CURL *_Nonnull easy) {
    struct curl_certinfo *chain = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &chain) != CURLE_OK || !chain || chain->num_of_certs < 1) {
        return NULL;
    }
    static const char label[] = "Cert:";
    for (struct curl_slist *entry = chain->certinfo[0]; entry; entry = entry->next) {
        if (strncmp(entry->data, label, sizeof label - 1) == 0) return entry->data + sizeof label - 1;
    }
    return NULL;
}

// What is wrong with the chain, as one of OpenSSL's X509_V_ERR numbers; 0 when the chain itself is right.
static inline long pippin_curl_chain_fault(CURL *_Nonnull easy) {
    long fault = 0;
    curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &fault);
    return fault;
}

static inline void pippin_curl_set_multi_number(CURLM *_Nonnull multi, CURLMoption option, long value) {
    curl_multi_setopt(multi, option, value);
}

static inline void pippin_curl_set_multi_callbacks(
    CURLM *_Nonnull multi, void *_Nonnull context, curl_socket_callback _Nonnull socket,
    curl_multi_timer_callback _Nonnull timer) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

// Takes the next transfer that has ended: its context and result; 0 when there is none.
static inline int pippin_curl_next_ended(
    CURLM *_Nonnull multi, void *_Nullable *_Nonnull context, CURLcode *_Nonnull result) {
    int left = 0;
    CURLMsg *message = curl_multi_info_read(multi, &left);
    while (message && message->msg != CURLMSG_DONE) message = curl_multi_info_read(multi, &left);
    if (!message) return 0;
    *result = message->data.result;
    char *private = NULL;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
    *context = private;
    return 1;
}

#endif

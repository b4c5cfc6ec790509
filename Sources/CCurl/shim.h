// What Glibc declares, such as the types of addresses, must not be declared here again: Swift would know it twice.
#pragma clang module import SwiftGlibc
// What Swift cannot reach of libcurl: variadic functions and unions.
#ifndef PIPPIN_CCURL_SHIM_H
#define PIPPIN_CCURL_SHIM_H

#include <curl/curl.h>
#include <openssl/ssl.h>
#include <stdint.h>
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

// Octets of a server's certificates that are read; OpenSSL reads the keys of all before it looks whether one is to be trusted.
#define PIPPIN_CURL_CERTIFICATES (24 * 1024)

// What a server may send in all beside data: a message counts ten, of which a handshake has some ten, and a record of a
// handshake one. OpenSSL takes a message of 20,000 octets in as many records, and empty ones between them.
#define PIPPIN_CURL_BESIDE_DATA 2000

// Where the count of a connection lies; asked for once.
static inline int pippin_curl_count_place(void) {
    return SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL);
}

// From here on the connection is as if the server had closed it: shut down, and without anything to read from. Only the two
// together end it at once wherever OpenSSL stands; of the first alone libcurl asks again for as long as the server's octets wait.
static inline void pippin_curl_end_tls(SSL *ssl) {
    SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    BIO *nothing = BIO_new(BIO_s_null());
    if (nothing) SSL_set0_rbio(ssl, nothing);
}

// Counts what a server sends that is no data. OpenSSL passes over some of it without coming back, such as HelloRequest (RFC
// 5246 section 7.4.1.1) and empty records, for as long as there is more.
static inline void pippin_curl_count_message(int type, SSL *ssl, int place) {
    intptr_t weight = 0;
    if (type == SSL3_RT_HANDSHAKE || type == SSL3_RT_ALERT || type == SSL3_RT_CHANGE_CIPHER_SPEC) weight = 10;
    if (type == SSL3_RT_HEADER && SSL_in_init(ssl)) weight = 1;
    if (weight == 0) return;
    intptr_t count = (intptr_t)SSL_get_ex_data(ssl, place) + weight;
    int is_kept = SSL_set_ex_data(ssl, place, (void *)count);
    if (!is_kept || count > PIPPIN_CURL_BESIDE_DATA) pippin_curl_end_tls(ssl);
}

// Certificates that a server may send; real chains have four, and some servers send roots that nobody asked for. OpenSSL reads
// the key of each before it trusts any: a compressed point on a curve takes up to 0.7 ms, any other key 0.1.
#define PIPPIN_CURL_CHAIN 16

// Whether a message of certificates has more of them than any chain, or not the shape of one (RFC 5246 section 7.4.2; RFC 8446
// section 4.4.2, where a context comes first and extensions follow each).
static inline int pippin_curl_is_long_chain(const unsigned char *octets, size_t size, int is_tls_1_3) {
    size_t at = 3;
    if (is_tls_1_3) at += size > 0 ? 1 + (size_t)octets[0] : 1;
    for (int count = 0; at < size; count++) {
        if (count == PIPPIN_CURL_CHAIN || size - at < 3) return 1;
        size_t length = (size_t)octets[at] << 16 | (size_t)octets[at + 1] << 8 | octets[at + 2];
        at += 3;
        if (size - at < length) return 1;
        at += length;
        if (!is_tls_1_3) continue;
        if (size - at < 2) return 1;
        length = (size_t)octets[at] << 8 | octets[at + 1];
        at += 2;
        if (size - at < length) return 1;
        at += length;
    }
    return at != size;
}

// Whether a key in a message of certificates spells a curve of its own, told by the type of its field (1.2.840.10045.1.1 and .2,
// RFC 3279 section 2.3.5). Such a key takes 0.15 s with a prime of the server's choice, and no authority certifies one (RFC 5480
// section 2.1.1).
static inline int pippin_curl_has_own_curve(const unsigned char *octets, size_t size) {
    static const unsigned char field_type[] = {0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x01};
    for (size_t at = 0; at + sizeof field_type < size; at++) {
        unsigned char kind = octets[at + sizeof field_type];
        if ((kind == 1 || kind == 2) && memcmp(octets + at, field_type, sizeof field_type) == 0) return 1;
    }
    return 0;
}

// Sees each message and record before OpenSSL reads it. Certificates that cost too much are made illegible, since OpenSSL asks
// nobody whether to read them.
static inline void pippin_curl_see_message(
    int is_sent, int version, int type, const void *octets, size_t size, SSL *ssl, void *place) {
    (void)version;
    if (is_sent) return;
    pippin_curl_count_message(type, ssl, (int)(intptr_t)place);
    unsigned char *message = (unsigned char *)octets;
    if (type != SSL3_RT_HANDSHAKE || size < 4 || message[0] != SSL3_MT_CERTIFICATE) return;
    if (pippin_curl_is_long_chain(message + 4, size - 4, SSL_version(ssl) == TLS1_3_VERSION) ||
        pippin_curl_has_own_curve(message + 4, size - 4))
        memset(message + 4, 0xFF, size - 4);
}

// OpenSSL goes on by itself after a message that is no data: libcurl is to be asked each time, which looks at its limits.
static inline CURLcode pippin_curl_narrow_tls(CURL *easy, void *context, void *place) {
    (void)easy;
    if ((intptr_t)place < 0) return CURLE_OUT_OF_MEMORY;
#ifdef SSL_OP_NO_RX_CERTIFICATE_COMPRESSION
    // Compressed ones would pass by (RFC 8879; OpenSSL 3.2 and later).
    SSL_CTX_set_options((SSL_CTX *)context, SSL_OP_NO_RX_CERTIFICATE_COMPRESSION);
#endif
    // The certificates are read once a connection: not again with a renegotiation (RFC 5746), and no lists of authorities, for we
    // have no certificate of our own (RFC 8446 section 4.6.2).
    SSL_CTX_set_options((SSL_CTX *)context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_post_handshake_auth((SSL_CTX *)context, 0);
    SSL_CTX_clear_mode((SSL_CTX *)context, SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_max_cert_list((SSL_CTX *)context, PIPPIN_CURL_CERTIFICATES);
    SSL_CTX_set_msg_callback((SSL_CTX *)context, pippin_curl_see_message);
    SSL_CTX_set_msg_callback_arg((SSL_CTX *)context, place);
    return CURLE_OK;
}

static inline void pippin_curl_bound_tls(CURL *_Nonnull easy, int place) {
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, pippin_curl_narrow_tls);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, (void *)(intptr_t)place);
}

// The callbacks of one mail; all of them get `context`.
static inline void pippin_curl_set_mail_callbacks(
    CURL *_Nonnull easy, void *_Nonnull context, curl_write_callback _Nonnull answer,
    curl_opensocket_callback _Nonnull open, curl_closesocket_callback _Nonnull close,
    curl_xferinfo_callback _Nonnull progress, curl_debug_callback _Nonnull sent) {
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, answer);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, answer);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, progress);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, context);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, sent);
    curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
    curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
}

// Certificates in PEM to trust in place of the system's; libcurl copies them.
static inline void pippin_curl_set_authority(CURL *_Nonnull easy, const char *_Nonnull certificates) {
    struct curl_blob blob = {(void *)certificates, strlen(certificates), CURL_BLOB_COPY};
    curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
}

// Whether the connection of a call under way is encrypted.
static inline int pippin_curl_is_encrypted(CURL *_Nonnull easy) {
    struct curl_tlssessioninfo *session = NULL;
    return curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) == CURLE_OK && session && session->internals;
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

// The status with which a proxy answered CONNECT; 0 when none was asked, or it did not answer.
static inline long pippin_curl_connect_status(CURL *_Nonnull easy) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
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

// Where libcurl writes what went wrong, in words of OpenSSL's for TLS; it has CURL_ERROR_SIZE octets and lasts as long as `easy`.
static inline void pippin_curl_set_complaint(CURL *_Nonnull easy, char *_Nonnull complaint) {
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, complaint);
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

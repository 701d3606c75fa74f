// The door to libcurl: its functions with a variable number of arguments, one for each kind of argument.
#ifndef HOLDFAST_CCURL_SHIM_H
#define HOLDFAST_CCURL_SHIM_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/// Takes or gives a piece of a body: `size` is 1, `count` the bytes at `bytes`.
typedef size_t (*shim_curl_body)(char *bytes, size_t size, size_t count, void *context);

/// Sets an option to a text, which is copied.
static inline CURLcode shim_curl_set_text(CURL *curl, CURLoption option, const char *text) {
    return curl_easy_setopt(curl, option, text);
}

/// Sets an option to a number.
static inline CURLcode shim_curl_set_number(CURL *curl, CURLoption option, long number) {
    return curl_easy_setopt(curl, option, number);
}

/// Sets an option to a pointer that stays valid until the transfer ends.
static inline CURLcode shim_curl_set_pointer(CURL *curl, CURLoption option, const void *pointer) {
    return curl_easy_setopt(curl, option, pointer);
}

/// Sets an option to a function.
static inline CURLcode shim_curl_set_body(CURL *curl, CURLoption option, shim_curl_body body) {
    return curl_easy_setopt(curl, option, body);
}

/// The status of the reply that has begun; 0 before.
static inline long shim_curl_status(CURL *curl) {
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/// Where a reply that redirects leads, as a whole address; NULL for another. Valid until the next transfer.
static inline const char *shim_curl_redirection(CURL *curl) {
    char *address = NULL;
    curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &address);
    return address;
}

#endif

#include "CICU.h"

#include <pthread.h>
#include <stdlib.h>
#include <unicode/ubrk.h>
#include <unicode/utext.h>

struct HFWords {
    UBreakIterator *iterator;
    UText text;
    int32_t start;
};

// Making an iterator reads ICU's data; a copy of one costs little.
static UBreakIterator *original;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void makeOriginal(void) {
    UErrorCode status = U_ZERO_ERROR;
    // No language: the same words for everybody, whatever the locale of the process.
    original = ubrk_open(UBRK_WORD, "", NULL, 0, &status);
    if (U_FAILURE(status)) original = NULL;
}

HFWords *HFWordsMake(void) {
    pthread_once(&once, makeOriginal);
    if (!original) return NULL;
    HFWords *words = calloc(1, sizeof(HFWords));
    if (!words) return NULL;
    UErrorCode status = U_ZERO_ERROR;
    words->iterator = ubrk_clone(original, &status);
    words->text = (UText)UTEXT_INITIALIZER;
    if (U_FAILURE(status) || !words->iterator) {
        free(words);
        return NULL;
    }
    return words;
}

void HFWordsFree(HFWords *words) {
    if (!words) return;
    ubrk_close(words->iterator);
    utext_close(&words->text);
    free(words);
}

bool HFWordsBegin(HFWords *words, const void *text, size_t byteCount) {
    UErrorCode status = U_ZERO_ERROR;
    utext_openUTF8(&words->text, text, (int64_t)byteCount, &status);
    ubrk_setUText(words->iterator, &words->text, &status);
    if (U_FAILURE(status)) return false;
    words->start = ubrk_first(words->iterator);
    return true;
}

bool HFWordsNext(HFWords *words, size_t *start, size_t *end) {
    while (words->start != UBRK_DONE) {
        int32_t next = ubrk_next(words->iterator);
        int32_t begin = words->start;
        words->start = next;
        if (next == UBRK_DONE) return false;
        // What is no number, no letter and no ideograph lies between words.
        if (ubrk_getRuleStatus(words->iterator) < UBRK_WORD_NONE_LIMIT) continue;
        *start = (size_t)begin;
        *end = (size_t)next;
        return true;
    }
    return false;
}

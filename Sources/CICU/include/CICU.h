/// The door to ICU: case folding, decomposition, words and regular expressions.
///
/// Debian's libicu-dev. ICU renames its functions by version with macros that Swift can't import, and works
/// on UTF-16: here texts are UTF-8, and bytes that are none count as U+FFFD.
#ifndef HOLDFAST_CICU_H
#define HOLDFAST_CICU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The simple (one to one) case folding of a scalar.
uint32_t HFFoldCase(uint32_t scalar);

/// The most scalars that ``HFDecompose`` writes.
#define HFDecompositionMax 8

/// Writes the full canonical decomposition of a scalar, itself when it has none.
///
/// How many scalars were written, at least 1.
int HFDecompose(uint32_t scalar, uint32_t *result);

/// Whether a scalar is of the general category Mn, as combining accents are.
bool HFIsNonspacingMark(uint32_t scalar);

#endif

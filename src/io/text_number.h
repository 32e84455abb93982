/*
 * text_number.h: numbers in text, read as an element of a dtype.
 */
#ifndef GNDI_IO_TEXT_NUMBER_H
#define GNDI_IO_TEXT_NUMBER_H

#include "core/core.h"

/* Reads the text from `begin` to `end`, white space around it dropped before, as one element. False if it
   is no number of the dtype. *end is written to, and is as before at the end. */
bool gndi_text_number(char *begin, char *end, gnd_dtype dtype, void *element);

/* Makes the calling thread's locale "C" until gndi_text_locale_end, which takes what this gave. */
void *gndi_text_locale_begin(void);
void gndi_text_locale_end(void *previous);

#endif

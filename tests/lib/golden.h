/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Texts that are compared with files in tests/unit/golden, reviewed like code. */
#ifndef TESTS_LIB_GOLDEN_H
#define TESTS_LIB_GOLDEN_H

/*
 * Fails the test unless @text is what the file NAME.txt holds. With RF_UPDATE_GOLDEN=1 in the
 * environment writes the file instead. Tests run in the top directory of the tree.
 */
void assert_golden(const char *name, const char *text);

#endif

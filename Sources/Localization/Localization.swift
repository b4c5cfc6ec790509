// Localization: user-facing text that is not yet rendered in a language, and the supported languages.
//
// Owns: languages (BCP 47) and their negotiation (RFC 9110 section 12.5.4), messages with their arguments.
// Must not know: where texts are stored, how numbers and dates are formatted; that is in Templates.

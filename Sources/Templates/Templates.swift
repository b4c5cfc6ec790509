// Templates: HTML pages from files that a designer edits, filled from typed structs, in the reader's language.
//
// Owns: the syntax of a template, its check against the page that fills it, the escaping each place of
// the HTML needs, the program that writes the page's bytes; the catalogue of texts and how languages write
// numbers, dates and lists. The way is Source → Syntax → Bound →
// bytes; whatever stops it on the way is a `Diagnostic` with file, line and column.
//
// Must not know: HTTP, where a value comes from, what the pages are about.
//
// Follows the HTML Standard: 13.2.5 (tokenization, to know where in the document a value stands) and
// 4.2.5.3 (refresh); URL schemes and percent-encoding as in RFC 3986, 2.1 and 3.1.
//
// The syntax, complete:
//
//     {{! comment }}
//     {{layout "layouts/console"}}    first in the file; the rest replaces {{content}} of that layout
//     {{content}}                     in a layout
//     {{> "partials/flash"}}          the partial's text, in the names of this place
//     {{> "partials/field" with a}}   the partial's text, inside the group `a`
//     {{#if a}} … {{else if b}} … {{else}} … {{/if}}     {{#if not a}} negates
//     {{#each rows}} … {{else}} … {{/each}}              else: the list is empty
//     {{#with group}} … {{else}} … {{/with}}             else: the group is absent
//     {{name}} {{group.name}}         a value; a name is looked up from the innermost block outward
//
//     {{t "console.users.title"}}     a text of the catalogue, in text or in a quoted attribute
//     {{t "a.b.key" count=total name=person.name book="/book"}}     its arguments: names or literals
//
// A line that holds nothing but block tags, comments or the layout tag leaves no trace in the page.
//
// Texts lie in Texts/<language>/<area>/<room>.txt; `title` in Texts/en/console/users.txt is the key
// `console.users.title`:
//
//     # a comment
//     title = Users
//     found[one] = {count} person            forms by CLDR for the argument `count` (a number): en, de one,
//     found[other] = {count} people          other; ru one, few, many; zh-Hans, id one text without forms
//     help = A long text goes on
//         on indented lines. <b>Bold</b>, <strong>, <em>, <code> and <a book>links</a> to the argument `book`
//
// Words and arguments are escaped for where they stand; a text with markup fits in text alone, not in an
// attribute or a title. Area `console` is English; `shared`, `hosted` and `mail` have all five languages.
//
// A page says which languages it has and which one it is in (View.languages, View.language; English if
// nothing is said); it is bound once for each. In Swift words are keys, resolved while the page is written:
//
//     Phrase("console.users.flash.deleted", ["name": user.shownName])        Phrase("a.b.found", count: 3)
//
// `Wording` is anything said: a Phrase, a String that is no word of ours (a name, what was typed), an Int, a
// Timestamp, a list of them; `Words` stores one (`wording.asWords`). Fields declare them with `words` and
// `optionalWords`; the views of Web take them wherever words go. `Texts.text(_:in:)` says them outside of
// pages: `site.text(phrase)`. A key is a literal, so that a test finds it: unused and missing keys fail.

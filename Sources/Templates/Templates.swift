// Templates: HTML pages rendered from template files and typed structs, in the user's language.
//
// Owns: the template syntax, the check of a template against its page, the escaping for each position in
// the HTML, the program that renders the page; the translations and how languages write numbers, dates
// and lists. The stages are Source → Syntax → Bound → bytes; each error on the way is a `Diagnostic`
// with file, line and column.
//
// Must not know: HTTP, the origin of values, the subject of pages.
//
// Standards: HTML Standard 13.2.5 (tokenization, to determine the position of a value in the document) and
// 4.2.5.3 (refresh); RFC 3986, 2.1 and 3.1 (percent-encoding and URL schemes).
//
// The complete syntax:
//
//     {{! comment }}
//     {{layout "layouts/console"}}    first in the file; the rest replaces {{content}} of that layout
//     {{content}}                     in a layout
//     {{> "partials/flash"}}          the partial's content, with the names visible here
//     {{> "partials/field" with a}}   the partial's content, inside the group `a`
//     {{#if a}} … {{else if b}} … {{else}} … {{/if}}     {{#if not a}} negates
//     {{#each rows}} … {{else}} … {{/each}}              else: the list is empty
//     {{#with group}} … {{else}} … {{/with}}             else: the group is absent
//     {{name}} {{group.name}}         a value; a name is looked up from the innermost block outward
//
//     {{t "console.users.title"}}     a localized text, in text or in a quoted attribute
//     {{t "a.b.key" count=total name=person.name book="/book"}}     with arguments: names or literals
//
// A line that holds only block tags, comments or the layout tag is removed from the page.
//
// Texts are in Texts/<language>/<area>/<file>.txt; `title` in Texts/en/console/users.txt has the key
// `console.users.title`:
//
//     # a comment
//     title = Users
//     found[one] = {count} person            forms by CLDR for the argument `count` (a number): en, de one,
//     found[other] = {count} people          other; ru one, few, many; zh-Hans, id one text without forms
//     help = A long text continues
//         on indented lines. <b>Bold</b>, <strong>, <em>, <code> and <a book>links</a> to the argument `book`
//
// Texts and arguments are escaped for their position; a text with markup is allowed only in text, not in an
// attribute or a title. The area `console` is in English; `shared`, `hosted` and `mail` are in all five languages.
//
// A page declares its languages and the one it is rendered in (View.languages, View.language; the default is
// English); it is bound once for each. In Swift, texts are messages, resolved while the page is rendered:
//
//     Message("console.users.flash.deleted", ["name": user.shownName])        Message("a.b.found", count: 3)
//
// `LocalizedTextConvertible` is a Message, a String that needs no translation (a name, user input), an Int, a
// Timestamp, or a list of them; `LocalizedText` stores one (`message.localizedText`). Fields declare them with
// `words` and `optionalWords`; the views of Web accept them as labels, hints and errors. Outside of pages,
// `Translations.text(_:in:)` resolves them: `site.text(message)`. A key is a literal, so that a test finds it:
// unused and missing keys fail.

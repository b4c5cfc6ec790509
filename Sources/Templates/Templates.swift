// Templates: HTML pages from files that a designer edits, filled from typed structs.
//
// Owns: the syntax of a template, its check against the page that fills it, the escaping each place of
// the HTML needs, and the program that writes the page's bytes. The way is Source → Syntax → Bound →
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
// A line that holds nothing but block tags, comments or the layout tag leaves no trace in the page.

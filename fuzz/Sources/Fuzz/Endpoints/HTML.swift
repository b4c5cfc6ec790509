import Core

/// Parser for the subset of HTML that Pippin's own pages use.
enum HTML {
    struct Form {
        var action: String
        var isPost: Bool
        var takesFiles: Bool
        var fields: [(name: String, value: String)] = []

        /// The form's encoded fields, with the given choices instead of their values.
        func body(choosing choices: [String: String] = [:]) -> String {
            var values = fields.filter { choices[$0.name] == nil }
            values += choices.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            return FormCoding.encode(values.map { (name: $0.name, value: $0.value) })
        }
    }

    private struct Tag {
        let name: Substring
        var attributes: [String: String] = [:]
        /// Text between this tag and the next.
        var text: Substring = ""
    }

    static func forms(in page: String) -> [Form] {
        var (found, current): ([Form], Form?) = ([], nil)
        for tag in tags(in: page) {
            let name = tag.attributes["name"] ?? ""
            switch tag.name {
            case "form":
                current = Form(
                    action: tag.attributes["action"] ?? "", isPost: tag.attributes["method"]?.lowercased() == "post",
                    takesFiles: tag.attributes["enctype"] == "multipart/form-data")
            case "/form":
                if let current { found.append(current) }
                current = nil
            case "input", "button", "select", "textarea":
                let isOff = ["radio", "checkbox"].contains(tag.attributes["type"]) && tag.attributes["checked"] == nil
                let text = tag.name == "textarea" ? unescape(tag.text) : tag.attributes["value"] ?? ""
                if !name.isEmpty, !isOff { current?.fields.append((name, text)) }
            case "option":
                guard tag.attributes["selected"] != nil, let last = current?.fields.indices.last else { break }
                current?.fields[last].value = tag.attributes["value"] ?? ""
            default: break
            }
        }
        return found
    }

    /// URLs of the links of a page.
    static func links(in page: String) -> [String] {
        tags(in: page).filter { $0.name == "a" }.compactMap { $0.attributes["href"] }
    }

    /// URL to which a page redirects the browser by itself.
    static func refresh(in page: String) -> String? {
        tags(in: page).first { $0.attributes["http-equiv"] == "refresh" }?.attributes["content"]?.split(
            separator: "url=", maxSplits: 1
        ).last.map(String.init)
    }

    private static func tags(in page: String) -> [Tag] {
        page.split(separator: "<").compactMap { piece in
            var rest = piece[...]
            var tag = Tag(name: take(&rest) { $0 != ">" && $0 != " " && $0 != "\n" })
            while let first = rest.first, first != ">" {
                if first == " " || first == "\n" || first == "/" {
                    rest.removeFirst()
                    continue
                }
                let name = take(&rest) { $0 != "=" && $0 != ">" && $0 != " " && $0 != "\n" }
                guard rest.hasPrefix("=\"") else {
                    tag.attributes[String(name)] = ""
                    if name.isEmpty { break }
                    continue
                }
                rest = rest.dropFirst(2)
                tag.attributes[String(name)] = unescape(take(&rest) { $0 != "\"" })
                rest = rest.dropFirst()
            }
            tag.text = rest.dropFirst()
            return tag
        }
    }

    private static func take(_ rest: inout Substring, while isPart: (Character) -> Bool) -> Substring {
        let taken = rest.prefix(while: isPart)
        rest = rest[taken.endIndex...]
        return taken
    }

    private static func unescape(_ text: Substring) -> String {
        var text = String(text)
        guard text.contains("&") else { return text }
        for (escaped, character) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&#96;", "`"),
            ("&amp;", "&"),
        ] { text = text.split(separator: escaped, omittingEmptySubsequences: false).joined(separator: character) }
        return text
    }
}

import Core
import HTTP
import Platform
import Registry
import SignIn

/// Form of an object, made from the declaration of its settings.
struct SettingsForm<Object: DeclaredObject>: Sendable {
    private static var settings: [Setting<Object.Settings>] { Object.Settings.all }

    /// What stands in the inputs of each name: that of a list in one or in several, that of a flag only if it is set.
    private var texts: [String: [String]]

    /// The form with these settings, by default for a new object.
    init(_ identity: [String: String] = [:], _ settings: Object.Settings = Object.Settings()) {
        texts = Self.texts(settings.typed).merging(identity.mapValues { [$0] }) { $1 }
    }

    init(_ form: Form) { texts = Dictionary(grouping: form.fields, by: \.name.text).mapValues { $0.map(\.value) } }

    init(_ object: Object) { self.init([:], object.settings) }

    /// The form of a stored object, of which these settings were sent.
    init(_ form: Form, of names: [String], over object: Object) {
        let (stored, sent) = (Self(object), Self(form))
        texts = Self.texts(sent.typed(over: object.settings)).merging(sent.texts) { $1 }
        for (name, texts) in stored.texts where !names.contains(name) { self.texts[name] = texts }
    }

    private static func texts(_ typed: Typed) -> [String: [String]] {
        Dictionary(
            uniqueKeysWithValues: settings.map { setting in
                let value = typed[setting.name] ?? .null
                let texts =
                    switch setting.kind {
                    case .line, .choice: [value.string ?? ""]
                    case .combination(let all): [all.first { $0.elements == value.strings }?.name ?? ""]
                    case .number: [value.integer.map { "\($0)" } ?? value.string ?? ""]
                    case .lines: [value.strings.joined(separator: "\n")]
                    case .rows: value.strings.isEmpty ? [""] : value.strings
                    case .flag: value.boolean == true ? ["yes"] : []
                    }
                return (setting.name, texts)
            })
    }

    subscript(_ name: String) -> String { texts[name]?.first ?? "" }

    private func lines(_ name: String, _ limit: Int) -> TypedLines { TypedLines(self[name], atMost: limit) }

    /// The nonempty rows with their positions on the page.
    private func rows(_ name: String) -> [(row: Int, text: String)] {
        (texts[name] ?? []).enumerated().map { ($0, $1.trimmed) }.filter { !$0.1.isEmpty }
    }

    /// The settings that were sent, not yet parsed; a flag that was not is off.
    var typed: Typed {
        var typed: Typed = [:]
        for setting in Self.settings {
            let text = texts[setting.name]?.first
            switch setting.kind {
            case .line(let isCode, _): typed[setting.name] = text.map { .string(isCode ? $0.trimmed : $0) }
            case .choice: typed[setting.name] = text.map(JSONValue.string)
            case .combination(let all):
                typed[setting.name] = text.map { text in .strings(all.first { $0.name == text }?.elements ?? []) }
            case .number: typed[setting.name] = text.map { Int64($0.trimmed).map(JSONValue.integer) ?? .string($0) }
            case .lines(let limit): typed[setting.name] = text.map { _ in .strings(lines(setting.name, limit).all) }
            case .rows: typed[setting.name] = text.map { _ in .strings(rows(setting.name).map(\.text)) }
            case .flag: typed[setting.name] = .boolean(text != nil)
            }
        }
        return typed
    }

    /// The stored settings as the form changes them: what it does not send, such as one of an earlier release, stays.
    func typed(over stored: Object.Settings) -> Typed { stored.typed.merging(typed) { $1 } }

    /// The settings as hidden fields of the conflict page.
    var fields: [FormCoding.Field] {
        Self.settings.flatMap { setting in
            (texts[setting.name] ?? []).compactMap { text in FieldName(setting.name).map { FormCoding.Field($0, text) }
            }
        }
    }

    /// Label and displayed value of these settings, or of all.
    func facts(of names: [String]? = nil) -> [SettingView] {
        let typed = typed
        return Self.settings(names).map { setting in
            SettingView(Object.words.label(setting.name), shown(setting, typed[setting.name] ?? .null))
        }
    }

    private static func settings(_ names: [String]?) -> [Setting<Object.Settings>] {
        settings.filter { names?.contains($0.name) ?? true }
    }

    private func shown(_ setting: Setting<Object.Settings>, _ value: JSONValue) -> any LocalizedTextConvertible {
        let elements: [String]
        switch setting.kind {
        case .flag: return value.boolean == true ? Message("console.registry.on") : Message("console.registry.off")
        case .choice, .combination: return Object.words.value(self[setting.name], of: setting.name)
        case .line, .number: elements = [self[setting.name]].filter { !$0.isEmpty }
        case .lines: elements = value.strings.sorted()
        case .rows: elements = value.strings
        }
        return elements.isEmpty ? Message("console.registry.none") : elements.joined(separator: ", ")
    }

    /// Each of the settings with its typed value and its value in `current`.
    func compared(with current: Object, _ names: [String]? = nil) -> [ConflictPage.Row] {
        zip(Self(current).facts(of: names), facts(of: names)).map {
            ConflictPage.Row(label: $0.label, theirs: $0.value, yours: $1.value)
        }
    }
}

// Errors.
extension SettingsForm {
    /// The errors of the parsed values as errors of what was typed: by line, or by row of the page.
    func typed(_ errors: FieldErrors) -> FieldErrors {
        let errors = errors.map { (Object.inputs[$0.path.name] ?? $0.path, $0.message) }
        return Self.settings.reduce(errors) { errors, setting in
            let list = FieldPath(setting.name)
            switch setting.kind {
            case .lines(let limit): return errors.naming(lines(setting.name, limit), of: list)
            case .rows(let limit): return errors.map { (place($0.path, in: list, limit), $0.message) }
            default: return errors
            }
        }
    }

    /// The row of an error: errors number the nonempty rows only, while the page may have empty ones between them, and an
    /// error of the whole list stands at the first row that is one too much, or at the first of all.
    private func place(_ path: FieldPath, in list: FieldPath, _ limit: Int) -> FieldPath {
        let rows = rows(list.name).map(\.row)
        if path == list { return list[rows.dropFirst(limit).first ?? 0] }
        guard let position = path.position, path == list[position], position < rows.count else { return path }
        return list[rows[position]]
    }

    private static func hasRows(_ name: String) -> Bool {
        settings.contains { if case .rows = $0.kind { $0.name == name } else { false } }
    }

    /// Id of the page element that shows the errors of a field.
    func element(of path: FieldPath) -> String {
        guard Self.hasRows(path.name), let row = path.position else { return path.element }
        return Self.id(path.name, row)
    }

    /// Error summary above the form; it names the row of an error.
    func links(_ errors: FieldErrors) -> [ErrorLink] { errors.links(to: element, named: label) }

    /// Label of a field in the error summary.
    func label(of path: FieldPath) -> Message? {
        let (name, known) = (path.name, Self.settings.map(\.name) + Object.identity)
        guard known.contains(name) else { return nil }
        guard Self.hasRows(name), let row = path.position else { return Object.words.label(name) }
        return Self.label(name, row)
    }

    private static func id(_ name: String, _ row: Int) -> String { "field-\(name)-\(row + 1)" }

    private static func label(_ name: String, _ row: Int) -> Message { Object.words.row(row + 1, of: name) }
}

// Inputs.
extension SettingsForm {
    /// The input of a name that stays afterwards.
    func identityInput(_ name: String, _ errors: FieldErrors, _ site: Site) -> Input {
        input(name, .line("text"), errors, site, isCode: true)
    }

    /// The inputs of these settings, or of all, in the order of their declaration.
    ///
    /// - Parameters:
    ///   - base: the team's own issuer URL.
    ///   - options: of lines that are chosen from a list.
    func inputs(
        _ errors: FieldErrors, _ site: Site, of names: [String]? = nil, base: String = "",
        options: [String: [Option]] = [:]
    ) -> [Input] {
        Self.settings(names).map { setting in
            let name = setting.name
            return switch setting.kind {
            case .line(let isCode, let isOptional):
                input(
                    name, options[name].map(Input.Kind.list) ?? .line("text"), errors, site, isRequired: !isOptional,
                    isCode: isCode)
            case .lines(let limit): input(name, .lines(3), errors, site, limit: limit, isCode: true)
            case .rows(let limit): input(name, .rows(rows(name, errors, limit)), errors, site, limit: limit)
            case .choice(let values): input(name, .choices(choices(name, values, site, base)), errors, site)
            case .combination(let all): input(name, .choices(choices(name, all.map(\.name), site, base)), errors, site)
            case .number: input(name, .line("text"), errors, site, isCode: true)
            case .flag: input(name, .box(isChecked: texts[name]?.isEmpty == false), errors, site)
            }
        }
    }

    private func input(
        _ name: String, _ kind: Input.Kind, _ errors: FieldErrors, _ site: Site, limit: Int? = nil,
        isRequired: Bool = true, isCode: Bool = false
    ) -> Input {
        let words = Object.words
        return Input(
            name, words.label(name), self[name], as: kind, placeholder: words.text("placeholder", of: name, site),
            hint: words.text("hint", of: name, site, limit: limit), errors: errors, isRequired: isRequired,
            isCode: isCode)
    }

    private func choices(_ name: String, _ values: [String], _ site: Site, _ base: String) -> [Option] {
        let chosen = values.contains(self[name]) ? self[name] : values[0]
        return values.map { value in
            Option(
                value, Object.words.value(value, of: name),
                hint: Object.words.text("\(value).hint", of: name, site, base: base), isChosen: value == chosen)
        }
    }

    /// As many rows as a list may have elements, or more if more were typed.
    private func rows(_ name: String, _ errors: FieldErrors, _ limit: Int) -> [Input.Row] {
        let (list, typed) = (FieldPath(name), texts[name] ?? [])
        return (0..<max(limit, typed.count)).map { row in
            Input.Row(
                id: Self.id(name, row), Self.label(name, row), row < typed.count ? typed[row] : "",
                error: errors[list[row]])
        }
    }
}

import Bytes
import Registry
import Templates

extension CommandFailure {
    /// The field errors of a registry file, one line each, in the console's English texts.
    init(_ problems: [FieldError], after prefix: String = "", saying resources: Resources) {
        let texts: Translations
        do { texts = try Translations(folder: resources.texts) } catch {
            self.init(error.all.map(\.description))
            return
        }
        self.init(
            problems.map { problem in
                let message = texts.text(problem.message)
                return prefix + (problem.field.isEmpty ? message : "\(problem.field): \(message)")
            })
    }
}

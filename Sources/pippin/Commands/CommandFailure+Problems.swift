import Bytes
import Registry
import Templates

extension CommandFailure {
    /// What is wrong with a registry file, a line each, as the console says it in English.
    init(_ problems: [Problem], after prefix: String = "", saying resources: Resources) {
        let texts: Texts
        do {
            texts = try Texts(folder: resources.texts)
        } catch {
            self.init(error.all.map(\.description))
            return
        }
        self.init(
            problems.map { problem in
                let message = texts.text(problem.message)
                return prefix + (problem.field.isEmpty ? message : "\(problem.field): \(message)")
            }
        )
    }
}

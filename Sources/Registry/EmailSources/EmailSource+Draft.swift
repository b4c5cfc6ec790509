import Core
import Platform

extension EmailSource {
    /// Field values of an e-mail source as the user entered them.
    public struct Input: Sendable {
        public var source: String
        /// The DKIM selectors that sign mail from the source.
        public var selectors: [String]

        public init(source: String, selectors: [String] = []) {
            self.source = source
            self.selectors = selectors
        }
    }

    /// Validated values of an e-mail source, ready to be saved.
    public struct Draft: Hashable, Sendable {
        public let source: EmailSource
        public let selectors: [DKIMSelector]

        public init(source: EmailSource, selectors: [DKIMSelector] = []) {
            self.source = source
            self.selectors = selectors
        }

        /// - Throws: `InvalidFields` with every error of the input.
        public init(parsing input: Input) throws(InvalidFields) {
            var fields = FieldChecks()
            let source = fields.check("source") { () throws(ValidationError) in try EmailSource(parsing: input.source) }
            let selectors = fields.checkEach("selectors", of: input.selectors, atMost: .selectors) {
                text throws(ValidationError) in try DKIMSelector(parsing: text)
            }
            guard let source, fields.problems.isEmpty else { throw InvalidFields(fields.problems) }
            self.init(source: source, selectors: selectors)
        }

        var auditedMembers: AuditedMembers {
            ["kind": .string(source.kind.rawValue), "selectors": .array(selectors.map { .string($0.text) })]
        }
    }
}

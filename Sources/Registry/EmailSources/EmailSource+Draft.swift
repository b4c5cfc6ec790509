import Bytes

extension EmailSource {
    /// What a person typed.
    public struct Input: Sendable {
        public var source: String
        /// The DKIM selectors that mail from there is signed with.
        public var selectors: [String]

        public init(source: String, selectors: [String] = []) {
            self.source = source
            self.selectors = selectors
        }
    }

    /// An e-mail source as it shall be: every value keeps its rule.
    public struct Draft: Hashable, Sendable {
        public let source: EmailSource
        public let selectors: [DKIMSelector]

        public init(source: EmailSource, selectors: [DKIMSelector] = []) {
            self.source = source
            self.selectors = selectors
        }

        /// - Throws: `Problems` with everything that is wrong with the input.
        public init(parsing input: Input) throws(Problems) {
            var fields = FieldChecks()
            let source = fields.check("source") { () throws(Refusal) in
                try EmailSource(parsing: input.source)
            }
            let selectors = fields.checkEach("selectors", of: input.selectors, atMost: .selectors) {
                text throws(Refusal) in
                try DKIMSelector(parsing: text)
            }
            guard let source, fields.problems.isEmpty else { throw Problems(fields.problems) }
            self.init(source: source, selectors: selectors)
        }

        var auditedMembers: AuditedMembers {
            [
                "kind": .string(source.kind.rawValue),
                "selectors": .array(selectors.map { .string($0.text) }),
            ]
        }
    }
}

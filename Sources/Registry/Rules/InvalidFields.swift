import Platform

/// All errors of an input, not only the first.
public struct InvalidFields: Error, Hashable, Sendable {
    public let all: [FieldError]

    public init(_ all: [FieldError]) { self.all = all }
}

/// Parses the fields of an input one by one and collects their errors.
struct FieldChecks {
    private(set) var problems: [FieldError] = []

    /// The parsed value, or nil after collecting the error.
    mutating func check<Value>(_ field: String, _ parse: () throws(ValidationError) -> Value) -> Value? {
        do { return try parse() } catch {
            problems.append(FieldError(field, error))
            return nil
        }
    }

    /// Parses each element; an element equal to an earlier one is an error too.
    ///
    /// Elements beyond the limit are not parsed, so that too many are one error and cost no more than the limit.
    mutating func checkEach<Value: Hashable>(
        _ field: String, of texts: [String], atMost limit: Quota, _ parse: (String) throws(ValidationError) -> Value
    ) -> [Value] {
        var seen: Set<Value> = []
        var values: [Value] = []
        if texts.count > limit.count { note(field, .tooMany(limit)) }
        for (index, text) in texts.prefix(limit.count).enumerated() {
            let value = check("\(field)[\(index)]") { () throws(ValidationError) -> Value in
                let value = try parse(text)
                guard seen.insert(value).inserted else { throw .duplicate(text) }
                return value
            }
            if let value { values.append(value) }
        }
        return values
    }

    mutating func note(_ field: String, _ refusal: ValidationError) { problems.append(FieldError(field, refusal)) }
}

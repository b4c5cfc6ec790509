import HTTP

extension Response {
    /// A response that no cache stores and whose type no browser guesses.
    static func unstored(_ text: String, type: String) -> Response {
        var response = Response(body: Array(text.utf8))
        response.append(.contentType, type)
        response.append(.cacheControl, "no-store")
        response.append(.xContentTypeOptions, "nosniff")
        return response
    }

    /// A file to save, which no cache stores.
    ///
    /// - Parameter name: letters, digits, dots, hyphens and underscores, which need no escaping.
    static func attachment(_ text: String, named name: String, type: String) -> Response {
        var response = unstored(text, type: type)
        response.append(.contentDisposition, "attachment; filename=\"\(name)\"")
        return response
    }

    /// A file to save that is sent as it is read.
    static func attachment(_ stream: BodyStream, named name: String, type: String) -> Response {
        Response(
            fields: [
                HeaderField(.contentType, type), HeaderField(.contentDisposition, "attachment; filename=\"\(name)\""),
                HeaderField(.cacheControl, "no-store"), HeaderField(.xContentTypeOptions, "nosniff"),
            ], stream: stream)
    }
}

internal import CMicroHTTPD

/// An answer made once and sent many times, from every loop, without being copied.
///
/// For what is asked often and changes seldom: key sets, discovery documents, assets.
///
/// What clients have yet to take of it counts in no budget, since it is in memory once. So whoever makes one keeps it and
/// bounds how many there are: an answer made for one request alone is to be a plain `Response`.
// @unchecked Sendable: nothing changes after init; libmicrohttpd counts references to the response under
// its own mutex.
@safe public final class PreparedResponse: @unchecked Sendable {
    public let status: Status
    let handle: OpaquePointer
    private let content: Response

    /// Why an answer cannot be prepared.
    public enum Failure: Error, Equatable, Sendable {
        /// A field that cannot be sent, by its name.
        case field(String)

        static func unsendable(_ response: Response) -> Failure {
            .field(response.fields.first { !$0.isSendable }?.name.text ?? "")
        }
    }

    public init(_ content: Response) throws(Failure) {
        guard let handle = unsafe ResponseHandle.make(content, isLast: false) else {
            throw .unsendable(content)
        }
        unsafe self.handle = handle
        self.content = content
        status = content.status
    }

    deinit { unsafe MHD_destroy_response(handle) }

    /// The same answer in parts, for the rare connection that must be told it is the last.
    var parts: Response { content }
}

/// Turns answers into those of libmicrohttpd.
enum ResponseHandle {
    /// Makes a response that the caller queues and destroys; nil when a field cannot be sent.
    ///
    /// - Parameter delivery: sends the body piece by piece, where the response has a stream.
    static func make(_ response: Response, _ delivery: BodyDelivery? = nil, isLast: Bool) -> OpaquePointer? {
        let made = unsafe delivery.map { unsafe $0.makeHandle() } ?? copy(response.body)
        guard let handle = unsafe made else { return nil }
        for field in response.fields {
            guard unsafe add(field, to: handle) else {
                unsafe MHD_destroy_response(handle)
                return nil
            }
        }
        // What a body is says its Content-Type alone, whoever made the answer.
        if response[.xContentTypeOptions] == nil {
            _ = unsafe add(HeaderField(.xContentTypeOptions, "nosniff"), to: handle)
        }
        if isLast { _ = unsafe add(HeaderField(.connection, "close"), to: handle) }
        return unsafe handle
    }

    private static func copy(_ body: [UInt8]) -> OpaquePointer? {
        unsafe body.withUnsafeBytes { body in
            unsafe pippin_mhd_copy_response(body.baseAddress, body.count)
        }
    }

    private static func add(_ field: HeaderField, to handle: OpaquePointer) -> Bool {
        guard field.isSendable else { return false }
        let name = unsafe UnsafeRawPointer(field.name.literal.utf8Start).assumingMemoryBound(to: CChar.self)
        // Passing the String itself would copy it into an array first.
        return unsafe field.value.withCString { value in
            unsafe MHD_add_response_header(handle, name, value) == pippin_mhd_yes
        }
    }
}

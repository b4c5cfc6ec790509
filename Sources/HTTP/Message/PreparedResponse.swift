internal import CMicroHTTPD

/// A response made once and sent many times, from every loop, without being copied.
///
/// For content that is requested often and changes seldom: key sets, discovery documents, assets.
///
/// Octets that clients have yet to receive count in no budget, because the response is in memory once. So the caller
/// must keep it and limit how many there are; a response for a single request must be a plain `Response`.
// @unchecked Sendable: nothing changes after init; libmicrohttpd counts references to the response under its own mutex.
@safe public final class PreparedResponse: @unchecked Sendable {
    public let status: Status
    let handle: OpaquePointer
    private let content: Response

    /// Reason why a response cannot be prepared.
    public enum Failure: Error, Equatable, Sendable {
        /// The name of a header field that cannot be sent.
        case field(String)

        static func unsendable(_ response: Response) -> Failure {
            .field(response.fields.first { !$0.isSendable }?.name.text ?? "")
        }
    }

    public init(_ content: Response) throws(Failure) {
        guard let handle = unsafe ResponseHandle.make(content, isLast: false) else { throw .unsendable(content) }
        unsafe self.handle = handle
        self.content = content
        status = content.status
    }

    deinit { unsafe MHD_destroy_response(handle) }

    /// The fields and body, for the rare connection that also needs `Connection: close`.
    var parts: Response { content }
}

/// Creation of libmicrohttpd responses.
enum ResponseHandle {
    /// Creates a response that the caller queues and destroys; nil when a field cannot be sent.
    ///
    /// - Parameter delivery: sends the body piece by piece, when the response has a stream.
    static func make(_ response: Response, _ delivery: BodyDelivery? = nil, isLast: Bool) -> OpaquePointer? {
        let made = unsafe delivery.map { unsafe $0.makeHandle() } ?? copy(response.body)
        guard let handle = unsafe made else { return nil }
        for field in response.fields {
            guard unsafe add(field, to: handle) else {
                unsafe MHD_destroy_response(handle)
                return nil
            }
        }
        // Browsers must take a body's type from its Content-Type alone, whichever code made the response.
        if response[.xContentTypeOptions] == nil {
            _ = unsafe add(HeaderField(.xContentTypeOptions, "nosniff"), to: handle)
        }
        if isLast { _ = unsafe add(HeaderField(.connection, "close"), to: handle) }
        return unsafe handle
    }

    private static func copy(_ body: [UInt8]) -> OpaquePointer? {
        unsafe body.withUnsafeBytes { body in unsafe pippin_mhd_copy_response(body.baseAddress, body.count) }
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

internal import CCurl
internal import Glibc
internal import Synchronization

/// A delivery over SMTP, or a connection without one, by libcurl's blocking call.
// @unchecked Sendable: `state` is a Mutex; all other state is used by the thread that runs the transfer.
@safe final class MailTransfer: @unchecked Sendable {
    /// The time until the server has accepted the connection, encryption and password; giving up then costs nothing.
    private static let connecting = Duration.seconds(60)
    /// The longest wait for the answer to the whole message (RFC 5321 section 4.5.3.2.6), and for one before it, which
    /// costs nothing to give up.
    private static let answerSeconds = (message: 600, command: 120)
    /// The time for the answer to QUIT after a refusal, or to another command that libcurl tries.
    private static let afterRefusal = Duration.seconds(30)
    /// Maximum octets of all answers of a server.
    private static let answerLimit = 24 * 1024

    private struct State {
        var sockets: Set<Int32> = []
        var isCancelled = false
    }

    private let server: SMTPServer
    private let localName: String
    private let delivery: SMTPDelivery?
    private let deadline: Duration
    private let state = Mutex(State())
    private var easy: EasyHandle?
    private var upload: ArraySlice<UInt8> = []
    private var answerOctets = 0
    /// The last answer but that to QUIT, if it is a refusal.
    private var refusal: (MailRefusal, at: ContinuousClock.Instant)?
    /// Whether the recipient was named, so that a refusal may concern it.
    private var hasRecipient = false
    private var isEncrypted = false
    private var isLoggedIn = false

    init(to server: SMTPServer, as localName: String, _ delivery: SMTPDelivery) {
        (self.server, self.localName, self.delivery, deadline) = (server, localName, delivery, delivery.deadline)
    }

    init(to server: SMTPServer, as localName: String, within deadline: Duration) {
        (self.server, self.localName, delivery, self.deadline) = (server, localName, nil, deadline)
    }

    /// Ends the connection from any thread.
    ///
    /// Shut down instead of removed from libcurl, which would complete the message first. A look-up of the name, which
    /// has no socket, ends at libcurl's next report of progress, within a second.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// Blocks until the server has accepted the message or the transfer has failed.
    func run() -> Result<MailClient.Greeting, DeliveryFailure> {
        let end = ContinuousClock.now + deadline
        var code = perform(encrypting: server.mustEncrypt ? CURLUSESSL_ALL : CURLUSESSL_TRY, within: deadline)
        // RFC 7435 section 3: where encryption is not required, what cannot be encrypted is sent without.
        if code == CURLE_SSL_CONNECT_ERROR, !server.mustTrust {
            code = perform(encrypting: CURLUSESSL_NONE, within: end - .now)
        }
        defer { easy = nil }
        if let failure = failure(code) { return .failure(failure) }
        return .success(MailClient.Greeting(isEncrypted: isEncrypted, isLoggedIn: isLoggedIn))
    }

    private func perform(encrypting: curl_usessl, within deadline: Duration) -> CURLcode {
        easy = nil
        guard let easy = EasyHandle() else { return CURLE_FAILED_INIT }
        self.easy = easy
        (upload, answerOctets, refusal) = ([], 0, nil)
        (hasRecipient, isEncrypted, isLoggedIn) = (false, false, false)
        easy.setDeadline(deadline, connecting: min(deadline, Self.connecting))
        easy.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, Self.answerSeconds.command)
        // Others, such as GSSAPI, would be preferred by libcurl and need what this machine does not have.
        easy.set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN;AUTH=CRAM-MD5")
        easy.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        easy.set(CURLOPT_URL, "\(server.address)/\(localName)")
        easy.set(CURLOPT_USE_SSL, Int(encrypting.rawValue))
        if let authority = server.authority { unsafe pippin_curl_set_authority(easy.pointer, authority) }
        if !server.mustTrust {
            easy.set(CURLOPT_SSL_VERIFYPEER, 0)
            easy.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        if let user = server.user { easy.set(CURLOPT_USERNAME, user) }
        if let password = server.password { easy.set(CURLOPT_PASSWORD, password) }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe pippin_curl_set_mail_callbacks(
            easy.pointer, context, MailCallbacks.answer, MailCallbacks.openSocket, MailCallbacks.closeSocket,
            MailCallbacks.progress, MailCallbacks.sent)
        if let delivery {
            easy.set(CURLOPT_MAIL_FROM, "<\(delivery.sender)>")
            easy.set(CURLOPT_MAIL_RCPT, ["<\(delivery.recipient)>"])
            upload = delivery.message[...]
            unsafe pippin_curl_set_upload(
                easy.pointer, context, MailCallbacks.upload, curl_off_t(delivery.message.count))
        } else {
            easy.set(CURLOPT_NOBODY, 1)
            easy.set(CURLOPT_CUSTOMREQUEST, "NOOP")
        }
        let code = unsafe curl_easy_perform(easy.pointer)
        // The message is with the server, or is not: libcurl says QUIT when the handle goes, and must not wait for the
        // answer to it, which may never come.
        state.withLock { for socket in $0.sockets { shutdown(socket, Int32(SHUT_RD)) } }
        return code
    }

    /// Nil for success.
    private func failure(_ code: CURLcode) -> DeliveryFailure? {
        if code == CURLE_OK { return nil }
        if state.withLock({ $0.isCancelled }) { return .failed(.cancelled) }
        if answerOctets > Self.answerLimit { return .failed(.malformedAnswer) }
        let refusals = [
            CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY, CURLE_LOGIN_DENIED, CURLE_USE_SSL_FAILED,
            CURLE_REMOTE_ACCESS_DENIED, CURLE_ABORTED_BY_CALLBACK,
        ]
        if let refusal, refusals.contains(code) { return .refused(refusal.0) }
        if code == CURLE_USE_SSL_FAILED { return .notEncrypted }
        if code == CURLE_LOGIN_DENIED { return .noLogin }
        return .failed(easy?.failure(code) ?? ClientFailure(code))
    }
}

// What libcurl asks during the call.
extension MailTransfer {
    /// Takes a line of an answer; false when the server says too much.
    func takeAnswer(_ line: UnsafeRawBufferPointer) -> Bool {
        answerOctets += line.count
        guard answerOctets <= Self.answerLimit else { return false }
        if let easy { isEncrypted = unsafe pippin_curl_is_encrypted(easy.pointer) != 0 }
        let text = unsafe String(decoding: line.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
        let code = Int(text.prefix(3))
        if code == 221 { return true }
        if code == 235 { isLoggedIn = true }
        let known = refusal.flatMap { $0.0.code == code ? $0.0 : nil }
        refusal = MailRefusal(
            code: code ?? 0, line: text, after: known, isOfRecipient: hasRecipient,
            keepsText: delivery?.wantsText ?? true
        ).map { ($0, .now) }
        return true
    }

    /// Opens a socket that `cancel` can end; -1 when the transfer is cancelled or no socket can be opened.
    func openSocket(_ family: Int32, _ type: Int32, _ protocol: Int32) -> Int32 {
        state.withLock { state in
            if state.isCancelled { return -1 }
            let made = socket(family, type | Int32(SOCK_CLOEXEC.rawValue), `protocol`)
            if made >= 0 { state.sockets.insert(made) }
            return made
        }
    }

    func closeSocket(_ socket: Int32) -> Int32 {
        state.withLock { state in
            state.sockets.remove(socket)
            return close(socket)
        }
    }

    /// Whether the call is to end now.
    var mustEnd: Bool {
        if state.withLock({ $0.isCancelled }) { return true }
        return refusal.map { .now - $0.at > Self.afterRefusal } ?? false
    }

    /// Copies the next octets of the message into `room`, and returns how many.
    func giveUpload(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let piece = upload.prefix(room.count)
        unsafe room.copyBytes(from: piece)
        upload = upload.dropFirst(piece.count)
        if upload.isEmpty { easy?.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, Self.answerSeconds.message) }
        return piece.count
    }

    func noteSent(_ command: UnsafeRawBufferPointer) {
        if unsafe command.starts(with: "RCPT ".utf8) { hasRecipient = true }
    }
}

/// The callbacks of libcurl, called from within `curl_easy_perform` and as the handle goes.
private enum MailCallbacks {
    static let answer: curl_write_callback = { start, size, count, context in
        let line = unsafe UnsafeRawBufferPointer(start: start, count: size * count)
        return unsafe transfer(context).takeAnswer(line) ? line.count : 0
    }

    static let upload: curl_read_callback = { start, size, count, context in
        guard let start = unsafe start else { return 0 }
        return unsafe transfer(context).giveUpload(UnsafeMutableRawBufferPointer(start: start, count: size * count))
    }

    static let openSocket: curl_opensocket_callback = { context, _, address in
        guard let address = unsafe address else { return -1 }
        return unsafe transfer(context).openSocket(
            address.pointee.family, address.pointee.socktype, address.pointee.protocol)
    }

    static let closeSocket: curl_closesocket_callback = { context, socket in
        unsafe transfer(context).closeSocket(socket)
    }

    static let progress: curl_xferinfo_callback = { context, _, _, _, _ in unsafe transfer(context).mustEnd ? 1 : 0 }

    /// Called with what is sent and received; commands are headers that go out.
    static let sent: curl_debug_callback = { _, type, start, count, context in
        if type == CURLINFO_HEADER_OUT, let start = unsafe start {
            unsafe transfer(context).noteSent(UnsafeRawBufferPointer(start: start, count: count))
        }
        return 0
    }

    private static func transfer(_ context: UnsafeMutableRawPointer?) -> MailTransfer {
        guard let context = unsafe context else { preconditionFailure("libcurl calls back with the context given") }
        return unsafe Unmanaged<MailTransfer>.fromOpaque(context).takeUnretainedValue()
    }
}

internal import CCurl

/// A libcurl easy handle with the limits on TLS that every call of this server has.
@safe final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    /// The reason of a failure, in libcurl's words.
    private let complaint: UnsafeMutablePointer<CChar>
    private var lists: [UnsafeMutablePointer<curl_slist>]

    /// Whether libcurl has started.
    static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    private static let countPlace = pippin_curl_count_place()

    /// Nil when libcurl cannot create a handle.
    init?() {
        guard Self.isReady, let pointer = unsafe curl_easy_init() else { return nil }
        unsafe self.pointer = pointer
        unsafe lists = []
        unsafe complaint = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe complaint.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe pippin_curl_set_complaint(pointer, complaint)
        // Signals would reach any thread.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_PROXY, "")
        // With a folder of certificates libcurl reads the file of all certificates again for each connection, which
        // takes 20 ms; without one it caches the file.
        unsafe pippin_curl_set_text(pointer, CURLOPT_CAPATH, nil)
        unsafe pippin_curl_bound_tls(pointer, Self.countPlace)
        // RFC 8996: no TLS 1.0 and 1.1.
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // No finite-field Diffie-Hellman: the server chooses the prime, and with it how long the client computes.
        set(CURLOPT_SSL_CIPHER_LIST, "DEFAULT:!kDHE")
        set(CURLOPT_SSL_EC_CURVES, "X25519:P-256:P-384:P-521")
        // A name look-up that is still running at the deadline must not block the thread.
        set(CURLOPT_QUICK_EXIT, 1)
    }

    deinit {
        unsafe curl_easy_cleanup(pointer)
        unsafe lists.forEach { list in unsafe curl_slist_free_all(list) }
        unsafe complaint.deallocate()
    }

    func set(_ option: CURLoption, _ value: Int) { unsafe pippin_curl_set_number(pointer, option, value) }

    func set(_ option: CURLoption, _ value: String) { unsafe pippin_curl_set_text(pointer, option, value) }

    func set(_ option: CURLoption, _ lines: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { unsafe list = curl_slist_append(list, line) }
        unsafe pippin_curl_set_fields(pointer, option, list)
        if let list = unsafe list { unsafe lists.append(list) }
    }

    /// Limits the time of the whole call, and of the part until the connection can be used.
    func setDeadline(_ whole: Duration, connecting: Duration) {
        set(CURLOPT_TIMEOUT_MS, max(1, Int(whole / .milliseconds(1))))
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(connecting / .milliseconds(1))))
    }

    /// The failure for a result of libcurl other than success.
    func failure(_ code: CURLcode) -> ClientFailure {
        let words = unsafe String(cString: complaint)
        return ClientFailure(code, words, chainFault: unsafe pippin_curl_chain_fault(pointer))
    }
}

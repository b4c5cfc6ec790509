internal import CMicroHTTPD
import Core

/// Parser of `multipart/form-data` bodies, with libmicrohttpd's post processor (RFC 7578).
final class MultipartReader {
    private static let bufferSize = 4096
    private static let maximumParts = 32

    private var fields: [(name: FieldName, octets: [UInt8])] = []
    private var uploads: [Upload] = []
    private var partCount = 0

    /// The fields and files of a body; nil when it is incomplete, its text is not UTF-8, or it has too many parts.
    ///
    /// - Parameter handle: the body's connection, which has the boundary in its header fields.
    @safe static func read(_ body: [UInt8], on handle: OpaquePointer) -> (form: Form, uploads: [Upload])? {
        let reader = MultipartReader()
        let context = unsafe Unmanaged.passUnretained(reader).toOpaque()
        guard let processor = unsafe MHD_create_post_processor(handle, bufferSize, receivePart, context) else {
            return nil
        }
        let isRead = unsafe body.withUnsafeBytes { bytes in
            unsafe MHD_post_process(processor, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
                == pippin_mhd_yes
        }
        let isWhole = unsafe MHD_destroy_post_processor(processor) == pippin_mhd_yes
        // libmicrohttpd accepts a body that does not contain the boundary, and finds no part in it.
        return isRead && isWhole && reader.partCount > 0 ? reader.result : nil
    }

    private var result: (form: Form, uploads: [Upload])? {
        var decoded: [FormCoding.Field] = []
        for field in fields {
            guard let value = String(utf8: field.octets) else { return nil }
            decoded.append(FormCoding.Field(field.name, value))
        }
        return (Form(decoded), uploads)
    }

    /// Called once for each part and again for each further piece of it.
    private static let receivePart: MHD_PostDataIterator = { context, _, key, fileName, _, _, data, offset, size in
        guard let context = unsafe context, let key = unsafe key else { return pippin_mhd_no }
        let reader = unsafe Unmanaged<MultipartReader>.fromOpaque(context).takeUnretainedValue()
        let octets = unsafe Array(UnsafeRawBufferPointer(start: data, count: size))
        guard let name = unsafe FieldName(String(cString: key)) else { return pippin_mhd_no }
        let file = unsafe fileName.map { unsafe String(cString: $0) }
        return reader.take(octets, of: name, file, isFirst: offset == 0) ? pippin_mhd_yes : pippin_mhd_no
    }

    private func take(_ octets: [UInt8], of name: FieldName, _ file: String?, isFirst: Bool) -> Bool {
        if isFirst {
            partCount += 1
            guard partCount <= Self.maximumParts else { return false }
            if let file {
                uploads.append(Upload(name: name.text, fileName: file, octets: octets))
            } else {
                fields.append((name, octets))
            }
        } else if file != nil, !uploads.isEmpty {
            uploads[uploads.count - 1].octets += octets
        } else if !fields.isEmpty {
            fields[fields.count - 1].octets += octets
        }
        return true
    }
}

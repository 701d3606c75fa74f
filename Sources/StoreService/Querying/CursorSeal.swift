import CHoldfastCrypto
import HoldfastBytes
import HoldfastObjectJSON

/// The seal that makes the cursors of pages a principal's own, worth no more than the view that they were made from.
///
/// It stands behind a cursor and `~`: base64url of
///
///     offset  bytes  field (little-endian)
///     0       8      the view's fingerprint
///     8       32     keyed BLAKE2b of a name of this form, the principal, the 8 bytes before, and the cursor
struct CursorSeal {
    private static let form: StaticString = "holdfast cursor 1"
    private static let byteCount = 40
    /// Stands in no cursor and in no id, and in a URL as it is.
    private static let mark = UInt8(ascii: "~")

    let key: [UInt8]
    /// The name of the principal.
    let principal: String
    let fingerprint: UInt64

    /// The start of the seal, with its mark, in a cursor; the end of the cursor without a seal.
    static func start(in cursor: String) -> String.Index {
        cursor.utf8.firstIndex(of: mark) ?? cursor.endIndex
    }

    /// Returns a cursor with its seal.
    ///
    /// - Throws: ``RequestFault`` `.failed` when the library fails.
    func sealed(_ cursor: String) throws(RequestFault) -> String {
        let code = try code(of: fingerprint, cursor)
        let bytes = ByteBuffer(capacity: Self.byteCount)
        bytes.append(little: fingerprint)
        bytes.append(code)
        return cursor + String(UnicodeScalar(Self.mark)) + Base64.urlText(of: bytes.bytes)
    }

    /// Refuses cursors that the service has not made for the principal, or has made from another view.
    ///
    /// - Throws: ``RequestFault`` `.malformed`, `.expired`.
    func check(_ cursor: String, _ seal: String?, _ text: QueryText) throws(RequestFault) {
        var seal = seal ?? ""
        let bytes = seal.withUTF8 { Base64.decode(UnsafeRawBufferPointer($0), alphabet: .url) }
        guard let bytes, bytes.count == Self.byteCount else { throw Self.foreign(text) }
        let stated = bytes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self))
        }
        let code = try code(of: stated, cursor)
        guard shim_are_equal(code, Array(bytes[8...]), 32) == 1 else { throw Self.foreign(text) }
        guard stated == fingerprint else {
            throw RequestFault(
                .expired, "cursor-expired",
                "Your access has changed since the cursor was made; begin again without it."
            )
        }
    }

    /// The fault of a cursor that is not the caller's.
    static func foreign(_ text: QueryText) -> RequestFault {
        text.fault(
            "cursor",
            "The cursor is damaged, or was made for another user; send the \"next\" of the page before unchanged.",
            code: "invalid-cursor")
    }

    private func code(of fingerprint: UInt64, _ cursor: String) throws(RequestFault) -> [UInt8] {
        let message = ByteBuffer(capacity: 256)
        message.append(Self.form)
        message.append(principal)
        message.append(0 as UInt8)
        message.append(little: fingerprint)
        message.append(cursor)
        guard let code = message.authenticationCode(under: key) else {
            throw RequestFault(.failed, "internal-error", "The cursor could not be signed.")
        }
        return code
    }
}

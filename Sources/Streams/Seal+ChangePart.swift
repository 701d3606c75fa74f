import HoldfastAccess
import HoldfastBytes

/// Seals the change part of a cursor for a user that may not read everything: the part counts objects, and has the key of one,
/// that the user may not see.
extension Seal {
    /// The bytes of the numbers of a part.
    private static let partByteCount = 32

    /// Makes the seal of change parts; nil if the library fails.
    ///
    /// - `storeKey`: A secret of the store.
    init?(ofChangePartsBy storeKey: [UInt8]) {
        self.init("holdfast stream part 2", storeKey: storeKey)
    }

    /// Seals a part as base64url without padding; nil if the library fails.
    ///
    /// - `context`: The rest of the cursor. The part opens only together with it.
    func text(of part: StreamCursor.ChangePart, in context: String) -> String? {
        let plain = ByteBuffer(capacity: Self.partByteCount)
        plain.append(little: part.after)
        plain.append(little: part.through)
        plain.append(little: UInt64(part.knownCount))
        plain.append(little: part.reachedKey)
        return self.text(of: plain.bytes, in: Array(context.utf8))
    }

    /// Opens a part; nil if it was not sealed by this seal in this context.
    func part(_ text: Substring, in context: String) -> StreamCursor.ChangePart? {
        var text = String(text)
        let plain = text.withUTF8 { bytes(in: .init($0), with: Array(context.utf8)) }
        guard let plain, plain.count == Self.partByteCount else { return nil }
        return plain.withUnsafeBytes { bytes in
            func number(_ position: Int) -> UInt64 {
                bytes.loadUnaligned(fromByteOffset: 8 * position, as: UInt64.self)
            }
            return Int(exactly: number(2)).map {
                StreamCursor.ChangePart(
                    after: number(0), through: number(1), knownCount: $0, reachedKey: number(3))
            }
        }
    }
}

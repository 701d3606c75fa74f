import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

extension StoreCheck {
    /// Finds the fault of a map's bytes; nil when there is none.
    func fault(ofMap bytes: UnsafeRawBufferPointer, _ member: RowClass.Member) -> String? {
        guard bytes.count >= 8 else { return "is too short" }
        let keyByteCount = Int(bytes.loadUnaligned(as: UInt32.self))
        if keyByteCount == 0 {
            return bytes.count == 8 && bytes.allSatisfy { $0 == 0 } ? nil : "is damaged"
        }
        guard keyByteCount <= bytes.count - 4 else { return "is damaged" }
        let map = LeafView(bytes, member.storage)
        let keys = UnsafeRawBufferPointer(rebasing: bytes[4..<(4 + keyByteCount)])
        let values = UnsafeRawBufferPointer(rebasing: bytes[(4 + keyByteCount)...])
        guard let mapKeys = map.keys, map.count > 0, keys.count >= 8,
            map.count == Int(keys.loadUnaligned(as: UInt32.self))
        else { return "is damaged" }
        for index in 0..<map.count {
            let key = mapKeys.bytes(index)
            if mapKeys.isNull(index) { return "has a key that is null" }
            if String(validating: key, as: UTF8.self) == nil { return "has a key that is no UTF-8" }
            if MapKey.fault(of: key) != nil { return "has a key that is not allowed" }
            if index > 0, compareKeys(mapKeys.bytes(index - 1), key) >= 0 {
                return "has its keys out of order"
            }
        }
        return fault(ofCollection: values, member)
    }
}

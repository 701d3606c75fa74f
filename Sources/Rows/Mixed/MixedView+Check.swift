import HoldfastBytes
import HoldfastObjectModel

extension MixedView {
    /// Finds the fault of the bytes, worded as a predicate that begins with "is" or "has"; nil when there is none.
    ///
    /// - `depth`: The number of lists and maps around the value.
    package func fault(depth: Int = 0) -> String? {
        guard let tag = bytes.first, let kind = MixedKind(rawValue: tag) else {
            return "has a value of no known kind"
        }
        if let expected = kind.payloadByteCount, payload.count != expected {
            return "has a value of the wrong length"
        }
        switch kind {
        case .bool:
            return payload[0] > 1 ? "has a bool that is neither true nor false" : nil
        case .string:
            return String(validating: payload, as: UTF8.self) == nil
                ? "has a string that is no UTF-8" : nil
        case .date:
            let nanoseconds = payload.loadUnaligned(fromByteOffset: 8, as: Int32.self)
            return (0..<1_000_000_000).contains(nanoseconds)
                ? nil : "has a date with nanoseconds out of range"
        case .list, .map: return faultOfParts(kind, depth: depth)
        default: return nil
        }
    }

    private func faultOfParts(_ kind: MixedKind, depth: Int) -> String? {
        guard depth < ModelLimits.mixedDepthMax else { return "nests too deep" }
        let stride = kind == .list ? 1 : 2
        guard bytes.count >= Self.tableOffset else { return "has a damaged list or map" }
        let count = count
        let stated = bytes.loadUnaligned(fromByteOffset: Self.payloadOffset, as: UInt32.self)
        guard count == Int(stated) else { return "has a damaged list or map" }
        var last = 0
        for slot in 0..<(count * stride) {
            let end = Int(
                bytes.loadUnaligned(fromByteOffset: Self.tableOffset + 4 * slot, as: UInt32.self))
            if end < last { return "has a damaged list or map" }
            last = end
        }
        if Self.tableOffset + 4 * stride * count + last != bytes.count {
            return "has a damaged list or map"
        }
        for index in 0..<count {
            if kind == .map {
                if String(validating: key(index), as: UTF8.self) == nil {
                    return "has a key that is no UTF-8"
                }
                if MapKey.fault(of: key(index)) != nil { return "has a key that is not allowed" }
                if index > 0, compareKeys(key(index - 1), key(index)) >= 0 {
                    return "has its keys out of order"
                }
            }
            if let fault = element(index).fault(depth: depth + 1) { return fault }
        }
        return nil
    }
}

import Glibc

/// Compares two keys in the order of every engine: unsigned bytes, a prefix before its extensions.
///
/// - Returns: A negative number, zero or a positive number.
@inlinable
public func compareKeys(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let shared = min(a.count, b.count)
    if shared > 0, let left = a.baseAddress, let right = b.baseAddress {
        let order = memcmp(left, right, shared)
        if order != 0 { return Int(order) }
    }
    return a.count - b.count
}

extension UnsafeRawBufferPointer {
    /// The number that the bytes are in decimal digits; nil when they are none, or when it is too large.
    var decimalNumber: UInt64? {
        guard !isEmpty, count <= 20 else { return nil }
        var value: UInt64 = 0
        for byte in self {
            guard byte >= 48, byte <= 57 else { return nil }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isSumTooLarge) = product.addingReportingOverflow(UInt64(byte - 48))
            if isTooLarge || isSumTooLarge { return nil }
            value = sum
        }
        return value
    }
}

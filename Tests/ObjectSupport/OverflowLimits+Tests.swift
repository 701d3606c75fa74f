import HoldfastRows

extension OverflowLimits {
    /// Limits at which small values are out of line, and few elements make a tree of several levels.
    package static var tiny: OverflowLimits {
        var limits = OverflowLimits()
        limits.textByteCountMax = 6
        limits.collectionByteCountMax = 24
        limits.leafByteCountMax = 64
        limits.childCountMax = 3
        return limits
    }
}

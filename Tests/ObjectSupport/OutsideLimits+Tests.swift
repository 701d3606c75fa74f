import Rows

extension OutsideLimits {
    /// Limits at which small values leave their rows, and few elements make a tree of several levels.
    package static var tiny: OutsideLimits {
        var limits = OutsideLimits()
        limits.textByteCountMax = 6
        limits.collectionByteCountMax = 24
        limits.leafByteCountMax = 64
        limits.childCountMax = 3
        return limits
    }
}

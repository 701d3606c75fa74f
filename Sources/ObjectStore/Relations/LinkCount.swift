/// One kind of link from an origin: the property that holds it and the target; and how many there are of
/// it.
struct LinkCount {
    var property: UInt32
    var targetClass: Int
    var targetKey: UInt64
    var count: UInt32 = 1

    /// Negative, zero or positive as the kind comes before, is, or comes after another.
    func order(_ other: LinkCount) -> Int {
        if targetKey != other.targetKey { return targetKey < other.targetKey ? -1 : 1 }
        if property != other.property { return property < other.property ? -1 : 1 }
        return targetClass - other.targetClass
    }
}

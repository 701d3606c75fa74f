/// The property that holds a link, and the link's target.
struct LinkKind: Hashable {
    var property: UInt32
    var targetClass: Int
    var targetKey: UInt64
}

/// The number of links of a kind that an origin has.
struct LinkCount {
    var kind: LinkKind
    var count: UInt32 = 1
}

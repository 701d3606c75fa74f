/// How many links of a kind an origin has.
struct LinkCount {
    var kind: LinkKind
    var count: UInt32 = 1
}

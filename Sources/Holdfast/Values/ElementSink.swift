import HoldfastObjectModel

/// Takes one value to be stored.
public struct ElementSink {
    let taker: any ElementTaker

    /// Takes null.
    func null() { taker.null() }
    /// Takes a plain value.
    func plain(_ value: Value) { taker.plain(value) }
    /// Takes an object: a link to it, or of an embedded one a copy.
    func object(_ object: ObjectBase) { taker.object(object) }
    /// Takes a value of `AnyRealmValue`, which `write` hands over.
    func mixed(_ write: (MixedSink) -> Void) { taker.mixed(write) }
}

/// The use that an ``ElementSink`` makes of its value.
protocol ElementTaker: AnyObject {
    func null()
    func plain(_ value: Value)
    func object(_ object: ObjectBase)
    func mixed(_ write: (MixedSink) -> Void)
}

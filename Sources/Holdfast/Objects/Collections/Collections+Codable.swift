import HoldfastObjectModel

extension List: Decodable where Element: Decodable {
    /// An unmanaged list of decoded elements.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        append(objectsIn: try [Element](from: decoder))
    }
}

extension List: Encodable where Element: Encodable {
    /// Encodes the elements in order.
    public func encode(to encoder: any Encoder) throws { try Array(self).encode(to: encoder) }
}

extension MutableSet: Decodable where Element: Decodable {
    /// An unmanaged set of decoded elements.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        insert(objectsIn: try [Element](from: decoder))
    }
}

extension MutableSet: Encodable where Element: Encodable {
    /// Encodes the elements.
    public func encode(to encoder: any Encoder) throws { try Array(self).encode(to: encoder) }
}

extension Map: Decodable where Value: Decodable {
    /// An unmanaged map of decoded entries.
    ///
    /// - Throws: `DecodingError`, for a key with `.` or `$` too.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        for (key, value) in try [String: Value](from: decoder) {
            if let fault = MapKey.message(key) {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(codingPath: decoder.codingPath, debugDescription: fault))
            }
            self[Key(_key: key)] = value
        }
    }
}

extension Map: Encodable where Value: Encodable {
    /// Encodes the entries.
    public func encode(to encoder: any Encoder) throws {
        try Dictionary(uniqueKeysWithValues: map { ($0.key._key, $0.value) }).encode(to: encoder)
    }
}

extension LinkingObjects: Codable {
    /// Makes an inverse link without objects; the realm finds them.
    public convenience init(from decoder: any Decoder) throws { self.init() }

    /// Encodes nothing: the links are the other objects' values.
    public func encode(to encoder: any Encoder) throws {}
}

extension KeyedDecodingContainer {
    /// Looks for no key of an inverse link, which is never encoded.
    public func decode<Origin>(
        _ type: Persisted<LinkingObjects<Origin>>.Type, forKey key: Key
    ) throws -> Persisted<LinkingObjects<Origin>> {
        Persisted()
    }
}

extension KeyedEncodingContainer {
    /// Encodes nothing for an inverse link.
    public mutating func encode<Origin>(
        _ value: Persisted<LinkingObjects<Origin>>, forKey key: Key
    ) throws {}
}

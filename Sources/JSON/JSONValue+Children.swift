import HoldfastBytes

extension JSONValue {
    /// How many elements an array or members an object has; 0 for any other value.
    @inlinable public var count: Int {
        isScalar ? 0 : Int(entry.load(fromByteOffset: 8, as: UInt32.self))
    }

    /// The elements of an array; none when the value is something else.
    @inlinable public var elements: JSONElements { JSONElements(of: self, .array) }

    /// The members of an object, those with repeated names too; none when the value is something
    /// else.
    @inlinable public var members: JSONMembers { JSONMembers(of: self) }

    /// The value of the first member with this name. Linear in the number of members.
    public func member(named name: StaticString) -> JSONValue? {
        member(
            named: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// The value of the first member with this name. Linear in the number of members.
    public func member(named name: String) -> JSONValue? {
        var name = name
        return name.withUTF8 { member(named: UnsafeRawBufferPointer($0)) }
    }

    /// The value of the first member whose name has these bytes. Linear in the number of members.
    public func member(named name: UnsafeRawBufferPointer) -> JSONValue? {
        for member in members where member.isNamed(name) { return member.value }
        return nil
    }

    /// A name that an object has more than once, nil if there is none.
    ///
    /// For objects whose names no schema knows; where one does, marking the properties that were
    /// seen is cheaper. Costs n log n for n members, and memory from 16 members on.
    public var repeatedName: UnsafeRawBufferPointer? {
        let quadraticCountMax = 16
        guard count > quadraticCountMax else { return repeatedNameOfFew }
        let sorted = members.sorted { compareKeys($0.name, $1.name) < 0 }
        for (member, following) in zip(sorted, sorted.dropFirst())
        where member.isNamed(following.name) {
            return member.name
        }
        return nil
    }

    private var repeatedNameOfFew: UnsafeRawBufferPointer? {
        var rest = members
        while let member = rest.next() {
            for other in rest where other.isNamed(member.name) { return member.name }
        }
        return nil
    }
}

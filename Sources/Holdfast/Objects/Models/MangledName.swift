import CHoldfastRuntime

/// The name of a type as the program's own description of its types has it: text and references, ended by a zero.
struct MangledName: @unchecked Sendable {
    // Unchecked: it lies in the program's image, which stays and never changes.
    private let start: UnsafePointer<UInt8>

    init(_ start: UnsafePointer<UInt8>) { self.start = start }

    /// The type; nil if the runtime does not find it. Cost: microseconds.
    var type: Any.Type? {
        var end = start
        while end.pointee != 0 { end = Self.following(end) }
        return _getTypeByMangledNameInContext(
            start, UInt(end - start), genericContext: nil, genericArguments: nil)
    }

    /// Writes the part that distinguishes the name from others, wherever it lies. Returns the classes of objects that it refers
    /// to, which are left open.
    func read(into key: inout [UInt8]) -> [ObjectBase.Type] {
        key.removeAll(keepingCapacity: true)
        var classes: [ObjectBase.Type] = []
        var next = start
        while next.pointee != 0 {
            defer { next = Self.following(next) }
            guard let target = Self.target(next) else {
                key.append(next.pointee)
                continue
            }
            if let metadata = target.descriptor.flatMap({ holdfast_class_of($0) }),
                let type = unsafeBitCast(metadata, to: Any.Type.self) as? ObjectBase.Type
            {
                classes.append(type)
                key.append(0)
            } else {
                key.append(next.pointee)
                withUnsafeBytes(of: target.address) { key.append(contentsOf: $0) }
            }
        }
        return classes
    }

    /// The next character, or the character after a reference.
    private static func following(_ at: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        switch at.pointee {
        case 0x01...0x17: at + 1 + MemoryLayout<Int32>.size
        case 0x18...0x1F: at + 1 + MemoryLayout<Int>.size
        default: at + 1
        }
    }

    /// The target of a reference, with its descriptor if it is a type or protocol; nil for a character.
    private static func target(
        _ at: UnsafePointer<UInt8>
    ) -> (address: UnsafeRawPointer?, descriptor: UnsafeRawPointer?)? {
        let payload = UnsafeRawPointer(at + 1)
        switch at.pointee {
        case 0x01:
            let address = payload + Int(payload.loadUnaligned(as: Int32.self))
            return (address, address)
        case 0x02:
            let place = payload + Int(payload.loadUnaligned(as: Int32.self))
            let address = place.load(as: UnsafeRawPointer?.self)
            return (address, address)
        case 0x03...0x17: return (payload + Int(payload.loadUnaligned(as: Int32.self)), nil)
        case 0x18...0x1F: return (payload.loadUnaligned(as: UnsafeRawPointer?.self), nil)
        default: return nil
        }
    }
}

/// Equality by bytes for one or several texts: as a key, or around a property of a type that is compared.
///
/// Swift's `String` treats two texts as equal if they are canonically equivalent in Unicode, such as `é` and an `e` followed by a
/// combining accent. Names from clients are distinguished by their bytes, like all stored texts.
@propertyWrapper
package struct Exact<Texts: ExactlyCompared>: Hashable, Sendable {
    package var wrappedValue: Texts

    /// Makes a key, or the value of a property.
    package init(wrappedValue: Texts) { self.wrappedValue = wrappedValue }

    /// Makes a key.
    package init(_ text: Texts) { wrappedValue = text }

    package static func == (a: Exact, b: Exact) -> Bool {
        a.wrappedValue.isSame(as: b.wrappedValue)
    }

    package func hash(into hasher: inout Hasher) { wrappedValue.hashBytes(into: &hasher) }
}

/// A text as a key.
package typealias ExactText = Exact<String>

/// A value that consists of texts and is compared byte by byte.
package protocol ExactlyCompared: Sendable {
    /// Whether both values have the same bytes.
    func isSame(as other: Self) -> Bool
    /// Hashes the bytes that ``isSame(as:)`` compares.
    func hashBytes(into hasher: inout Hasher)
}

extension String: ExactlyCompared {
    package func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    package func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // This byte never occurs in UTF-8, so two texts hash differently from any other two.
        hasher.combine(UInt8.max)
    }
}

extension Optional: ExactlyCompared where Wrapped: ExactlyCompared {
    package func isSame(as other: Wrapped?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.isSame(as: other)
    }

    package func hashBytes(into hasher: inout Hasher) {
        hasher.combine(self == nil)
        self?.hashBytes(into: &hasher)
    }
}

extension Array: ExactlyCompared where Element: ExactlyCompared {
    package func isSame(as other: [Element]) -> Bool { elementsEqual(other) { $0.isSame(as: $1) } }

    package func hashBytes(into hasher: inout Hasher) {
        hasher.combine(count)
        for element in self { element.hashBytes(into: &hasher) }
    }
}

extension Dictionary where Key == ExactText {
    package subscript(_ text: String) -> Value? {
        get { self[ExactText(text)] }
        set { self[ExactText(text)] = newValue }
    }

    package var texts: [String] { keys.map(\.wrappedValue).sorted() }
}

extension Set where Element == ExactText {
    /// Makes a set of texts.
    package init(texts: some Sequence<String>) { self.init(texts.lazy.map { ExactText($0) }) }

    package var texts: [String] { map(\.wrappedValue).sorted() }

    package func contains(_ text: String) -> Bool { contains(ExactText(text)) }

    /// Adds a text.
    ///
    /// - Returns: Whether it is new.
    @discardableResult
    package mutating func insert(_ text: String) -> Bool { insert(ExactText(text)).inserted }
}

/// Where in memory the value of a key was found.
package struct MemoryPlace: Equatable, Sendable {
    /// The address of its first byte; 0 for none.
    package var address: UInt
    /// How many bytes it has.
    package var byteCount: Int
    /// The state of the engine's memory in which it is there: as long as a snapshot has the same, it still is. 0 where that
    /// isn't known, so that the address is only a guess.
    package var state: UInt64

    /// Makes a place.
    package init(address: UInt = 0, byteCount: Int = 0, state: UInt64 = 0) {
        self.address = address
        self.byteCount = byteCount
        self.state = state
    }

    /// Makes the place of a value.
    package init(of value: UnsafeRawBufferPointer, state: UInt64 = 0) {
        self.init(
            address: UInt(bitPattern: value.baseAddress), byteCount: value.count, state: state)
    }
}

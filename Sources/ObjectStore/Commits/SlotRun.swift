/// Positions of slots in the order of their keys, those of one key in the order of their positions.
///
/// `@unchecked Sendable`: nobody changes it.
final class SlotRun: @unchecked Sendable {
    let positions: UnsafeBufferPointer<Int32>

    /// - `write`: Initializes all positions.
    init(count: Int, _ write: (UnsafeMutableBufferPointer<Int32>) -> Void) {
        let memory = UnsafeMutableBufferPointer<Int32>.allocate(capacity: count)
        write(memory)
        positions = UnsafeBufferPointer(memory)
    }

    deinit { positions.deallocate() }
}

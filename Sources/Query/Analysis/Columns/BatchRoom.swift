/// Room for a value of each object of a batch.
struct BatchRoom<Element: BitwiseCopyable>: ~Copyable {
    /// Where it begins.
    let start = UnsafeMutablePointer<Element>.allocate(capacity: ColumnBatch.countMax)

    deinit { start.deallocate() }
}

#include "coordinator/store/store.hpp"

#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdexcept>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

namespace strata::coordinator {

namespace {

constexpr int kSchema = 1;
constexpr long kTidyBytes = 8L << 20;

constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value TEXT);"
    "CREATE TABLE IF NOT EXISTS tasks(id INTEGER PRIMARY KEY, spec BLOB NOT NULL, state INTEGER NOT NULL,"
    " submitted INTEGER NOT NULL, started INTEGER, ended INTEGER, attempts INTEGER NOT NULL DEFAULT 0,"
    " exit INTEGER, signal INTEGER NOT NULL DEFAULT 0, cpu INTEGER NOT NULL DEFAULT 0,"
    " peak INTEGER NOT NULL DEFAULT 0, reason TEXT);";

constexpr const char* kColumns =
    "id, spec, state, submitted, started, ended, attempts, exit, signal, cpu, peak, reason";

// A failing disk is nothing the coordinator can go on with: it stops, and finds all that was committed when it starts.
[[noreturn]] void broken(sqlite3* database, const char* what) {
  throw std::runtime_error(fmt::format("the task store cannot {}: {}", what, sqlite3_errmsg(database)));
}

class Statement {
 public:
  Statement(sqlite3* database, const std::string& text) : database_(database) {
    if (sqlite3_prepare_v3(database, text.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) != SQLITE_OK) {
      broken(database, "be used");
    }
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int at, std::int64_t number) { return sqlite3_bind_int64(statement_, at, number), *this; }
  Statement& bind_time(int at, Time time) { return time == Time::never() ? bind_null(at) : bind(at, time.ns()); }
  Statement& bind_null(int at) { return sqlite3_bind_null(statement_, at), *this; }
  Statement& bind_blob(int at, const std::string& bytes) {
    return sqlite3_bind_blob64(statement_, at, bytes.data(), bytes.size(), SQLITE_STATIC), *this;
  }
  Statement& bind_text(int at, const std::string& text) {
    return sqlite3_bind_text64(statement_, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8), *this;
  }
  /// True: there is a row.
  bool step() {
    const int result = sqlite3_step(statement_);
    if (result == SQLITE_ROW) return true;
    sqlite3_reset(statement_);
    if (result != SQLITE_DONE) broken(database_, "be written");
    return false;
  }
  void reset() { sqlite3_reset(statement_); }

  [[nodiscard]] bool is_null(int at) const { return sqlite3_column_type(statement_, at) == SQLITE_NULL; }
  [[nodiscard]] std::int64_t number(int at) const { return sqlite3_column_int64(statement_, at); }
  [[nodiscard]] Time time(int at) const { return is_null(at) ? Time::never() : Time::from_ns(number(at)); }
  [[nodiscard]] std::string bytes(int at) const {
    const void* data = sqlite3_column_blob(statement_, at);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, at));
    return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), size);
  }

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

Record record_of(const Statement& row) {
  Record record;
  record.id = static_cast<TaskId>(row.number(0));
  if (Result<TaskSpec> spec = decode_task(row.bytes(1)); spec.ok()) record.spec = std::move(spec).value();
  record.state = static_cast<TaskState>(row.number(2));
  record.submitted = row.time(3);
  record.started = row.time(4);
  record.ended = row.time(5);
  record.attempts = static_cast<int>(row.number(6));
  if (!row.is_null(7)) record.exit_code = static_cast<int>(row.number(7));
  record.signal = static_cast<int>(row.number(8));
  record.cpu = Duration::nanoseconds(row.number(9));
  record.peak_bytes = static_cast<std::uint64_t>(row.number(10));
  record.reason = row.bytes(11);
  return record;
}

}  // namespace

struct Store::Database {
  sqlite3* main = nullptr;
  sqlite3* tidier = nullptr;  ///< of the other thread
  int lock = -1;
  int log = -1;  ///< the write-ahead log, to be synced
  bool in_transaction = false;
  std::filesystem::path folder;
  std::unique_ptr<Statement> insert, change, end;

  ~Database() {
    insert.reset();
    change.reset();
    end.reset();
    if (log >= 0) ::close(log);
    sqlite3_close(tidier);
    sqlite3_close(main);
    if (lock >= 0) ::close(lock);
  }

  void run(const char* text) const {
    if (sqlite3_exec(main, text, nullptr, nullptr, nullptr) != SQLITE_OK) broken(main, "be used");
  }
};

Store::Store(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Store::~Store() {
  if (database_ != nullptr && database_->in_transaction) commit();
}

Result<std::unique_ptr<Store>> Store::open(const std::filesystem::path& folder) {
  const Where where{folder.string(), 0, 0, ""};
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return Error{where, "cannot be made: " + problem.message(), "choose another folder with --state"};
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, problem);
  auto database = std::make_unique<Database>();
  database->folder = folder;
  database->lock = ::open((folder / "coordinator.lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (database->lock < 0) return Error{where, "cannot be written", "choose another folder with --state"};
  if (::flock(database->lock, LOCK_EX | LOCK_NB) != 0) {
    return Error{where, "another coordinator uses this folder", "stop it, or choose another folder with --state"};
  }
  const std::string file = (folder / "tasks.db").string();
  for (sqlite3** each : {&database->main, &database->tidier}) {
    if (sqlite3_open(file.c_str(), each) != SQLITE_OK) {
      return Error{where, fmt::format("tasks.db cannot be opened: {}", sqlite3_errmsg(*each)), ""};
    }
    sqlite3_busy_timeout(*each, 10'000);
  }
  try {
    // Our own sync comes before each acknowledgement; SQLite's own would come before each decision.
    database->run("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0;");
    database->run(kTables);
    auto store = std::unique_ptr<Store>(new Store(std::move(database)));
    Database& db = *store->database_;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    db.run(fmt::format("INSERT OR IGNORE INTO meta VALUES('schema', '{}'), ('born', '{}')", kSchema, ns).c_str());
    Statement meta(db.main, "SELECT name, value FROM meta");
    while (meta.step()) {
      const std::string name = meta.bytes(0);
      if (name == "born") store->born_ns_ = std::stoll(meta.bytes(1));
      if (name == "schema" && meta.bytes(1) != std::to_string(kSchema)) {
        return Error{where, fmt::format("tasks.db has version {}", meta.bytes(1)), "use the program that wrote it"};
      }
    }
    db.insert = std::make_unique<Statement>(db.main, "INSERT INTO tasks(id, spec, state, submitted) VALUES(?,?,?,?)");
    db.change = std::make_unique<Statement>(db.main, "UPDATE tasks SET state=?2, started=?3, attempts=?4 WHERE id=?1");
    db.end = std::make_unique<Statement>(
        db.main,
        "UPDATE tasks SET state=?2, started=?3, attempts=?4, ended=?5, reason=?6, exit=?7, signal=?8, cpu=?9, peak=?10"
        " WHERE id=?1");
    db.log = ::open((file + "-wal").c_str(), O_RDWR | O_CLOEXEC);
    store->sync();
    return store;
  } catch (const std::runtime_error& error) {
    return Error{where, error.what(), "is the file damaged? Move it away to start afresh"};
  }
}

void Store::begin() {
  if (std::exchange(database_->in_transaction, true)) return;
  database_->run("BEGIN");
}

void Store::add(TaskId id, const TaskSpec& spec, Time submitted) {
  begin();
  std::string bytes;
  encode_task(spec, bytes);
  database_->insert->bind(1, static_cast<std::int64_t>(id))
      .bind_blob(2, bytes)
      .bind(3, static_cast<int>(TaskState::kWaiting))
      .bind(4, submitted.ns())
      .step();
}

void Store::update(const Update& update, const Report* report) {
  begin();
  Statement& statement = is_final(update.state) ? *database_->end : *database_->change;
  statement.bind(1, static_cast<std::int64_t>(update.id))
      .bind(2, static_cast<int>(update.state))
      .bind_time(3, update.started)
      .bind(4, update.attempts);
  if (is_final(update.state)) {
    const Report none;
    const Report& used = report == nullptr ? none : *report;
    statement.bind_time(5, update.at).bind_text(6, update.reason).bind(8, used.ending.signal);
    statement.bind(9, used.cpu.ns()).bind(10, static_cast<std::int64_t>(used.peak_bytes));
    if (report == nullptr || used.ending.signal != 0) {
      statement.bind_null(7);
    } else {
      statement.bind(7, used.ending.exit_code);
    }
  }
  statement.step();
}

bool Store::commit() {
  if (!std::exchange(database_->in_transaction, false)) return false;
  database_->run("COMMIT");
  return true;
}

void Store::sync() {
  if (database_->log >= 0) ::fdatasync(database_->log);
}

void Store::tidy() {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(database_->folder / "tasks.db-wal", ignored);
  if (ignored || static_cast<long>(size) < kTidyBytes) return;
  sqlite3_wal_checkpoint_v2(database_->tidier, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

void Store::restore(const std::function<void(TaskId, TaskState, int)>& final_task,
                    const std::function<void(Record)>& live_task) {
  Statement all(database_->main, fmt::format("SELECT {} FROM tasks ORDER BY id", kColumns));
  while (all.step()) {
    const auto state = static_cast<TaskState>(all.number(2));
    if (is_final(state)) {
      final_task(static_cast<TaskId>(all.number(0)), state, static_cast<int>(all.number(6)));
    } else {
      live_task(record_of(all));
    }
  }
}

std::vector<Record> Store::history(std::size_t limit, TaskId before) {
  Statement rows(database_->main, fmt::format("SELECT {} FROM tasks WHERE id < ? ORDER BY id DESC LIMIT ?", kColumns));
  rows.bind(1, static_cast<std::int64_t>(before)).bind(2, limit == 0 ? -1 : static_cast<std::int64_t>(limit));
  std::vector<Record> records;
  while (rows.step()) records.push_back(record_of(rows));
  return {records.rbegin(), records.rend()};
}

std::optional<Record> Store::find(TaskId id) {
  Statement row(database_->main, fmt::format("SELECT {} FROM tasks WHERE id = ?", kColumns));
  row.bind(1, static_cast<std::int64_t>(id));
  if (!row.step()) return std::nullopt;
  return record_of(row);
}

}  // namespace strata::coordinator

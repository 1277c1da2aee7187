#include "world/footprint_server.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/math.hpp"
#include "world/components.hpp"

namespace strata {
namespace {

constexpr std::size_t kBodiesPerChunk = 1024;

// A contact at the same instant goes to the lower id, so that the outcome does not depend on the order of the search.
bool sooner(double fraction, std::uint64_t stable, double than_fraction, std::uint64_t than_stable) {
  return fraction < than_fraction || (fraction == than_fraction && stable < than_stable);
}

}  // namespace

void FootprintServer::update_statics(const World& world) {
  const std::uint64_t membership =
      world.pool<Body>().membership() + world.pool<Pose>().membership() + world.pool<Velocity>().membership();
  if (static_membership_ == membership) return;
  static_membership_ = membership;
  statics_.build(world);
}

void FootprintServer::update_rows(const World& world) {
  update_statics(world);
  const std::uint64_t membership = static_membership_ + world.pool<Contact>().membership() +
                                   world.pool<Odometer>().membership() + world.pool<Disabled>().membership();
  if (row_membership_ == membership) return;
  row_membership_ = membership;
  rows_.clear();
  const Pool<Velocity>& velocities = world.pool<Velocity>();
  const Pool<Pose>& poses = world.pool<Pose>();
  const Pool<Body>& bodies = world.pool<Body>();
  const Pool<Contact>& contacts = world.pool<Contact>();
  const Pool<Odometer>& odometers = world.pool<Odometer>();
  for (std::size_t row = 0; row < velocities.size(); ++row) {
    const EntityId entity = velocities.owners()[row];
    Rows rows;
    rows.entity = entity;
    rows.stable = static_cast<std::uint64_t>(world.stable_id(entity));
    rows.pose = poses.row(entity);
    rows.body = bodies.row(entity);
    if (rows.pose == kNone || rows.body == kNone) continue;
    rows.velocity = static_cast<std::uint32_t>(row);
    rows.contact = contacts.row(entity);
    rows.odometer = odometers.row(entity);
    rows.disabled = world.has<Disabled>(entity);
    rows.is_circle = world.shapes().set(bodies.rows()[rows.body].shape_set).is_circle;
    rows_.push_back(rows);
  }
}

void FootprintServer::gather(const World& world, Duration dt, ThreadPool& threads) {
  const std::size_t count = rows_.size();
  movers_.resize(count);
  turns_.resize(count);
  turn_sin_.resize(count);
  turn_cos_.resize(count);
  const double seconds = dt.seconds();
  poses_ = world.pool<Pose>().rows();
  const std::span<const Velocity> velocities = world.pool<Velocity>().rows();
  const std::span<const Body> bodies = world.pool<Body>().rows();
  threads.for_each_chunk(count, kBodiesPerChunk, [&](std::size_t begin, std::size_t end) {
    find_turns(begin, end, seconds, velocities);
    for (std::size_t i = begin; i < end; ++i) {
      const Rows& rows = rows_[i];
      const Body& body = bodies[rows.body];
      const Pose& pose = poses_[rows.pose];
      Vec3 move = velocities[rows.velocity].linear * (rows.disabled ? 0 : seconds);
      if (turns_[i] != 0) {
        // The velocity turns with the body: its path is an arc, and the move its chord.
        const double shrink = turn_sin_[i] / turns_[i];
        move = {(move.x * turn_cos_[i] - move.y * turn_sin_[i]) * shrink,
                (move.x * turn_sin_[i] + move.y * turn_cos_[i]) * shrink, move.z};
      }
      const double reach = body.radius + 0.5 * std::sqrt(move.x * move.x + move.y * move.y);
      movers_[i] = {pose.position, move,  body.radius,    body.low,
                    body.high,     reach, body.shape_set, static_cast<std::uint32_t>(i)};
    }
  });
}

// Sines and cosines only for those that turn, in one batch.
void FootprintServer::find_turns(std::size_t begin, std::size_t end, double seconds,
                                 std::span<const Velocity> velocities) {
  std::array<double, kBodiesPerChunk> angles;
  std::array<double, kBodiesPerChunk> sines;
  std::array<double, kBodiesPerChunk> cosines;
  std::array<std::uint32_t, kBodiesPerChunk> who;
  std::size_t turning = 0;
  for (std::size_t i = begin; i < end; ++i) {
    turns_[i] = rows_[i].disabled ? 0 : 0.5 * velocities[rows_[i].velocity].angular.z * seconds;
    if (turns_[i] == 0) continue;
    angles[turning] = turns_[i];
    who[turning++] = static_cast<std::uint32_t>(i);
  }
  math::sincos(std::span(angles).first(turning), std::span(sines).first(turning), std::span(cosines).first(turning));
  for (std::size_t k = 0; k < turning; ++k) {
    turn_sin_[who[k]] = sines[k];
    turn_cos_[who[k]] = cosines[k];
  }
}

geometry::Sweep FootprintServer::sweep(const Mover& mover, double from, bool moves) const {
  geometry::Sweep out;
  out.from = mover.from + mover.move * from;
  out.orientation = poses_[rows_[mover.row].pose].orientation;
  const double turn = 2 * turns_[mover.row];
  if (from > 0 && turn != 0) out.orientation = out.orientation * math::from_yaw(turn * from);
  if (moves) {
    out.move = mover.move;
    out.turn = turn;
  }
  return out;
}

// Contact of a and b from the moment `from` on, as a fraction of the whole step after it.
std::optional<geometry::Impact> FootprintServer::meet(const World& world, const Mover& a, double a_from, bool a_moves,
                                                      const Mover& b, double b_from, bool b_moves) const {
  const Vec3 pa = a_from == 0 ? a.from : a.from + a.move * a_from;
  const Vec3 pb = b_from == 0 ? b.from : b.from + b.move * b_from;
  const Vec3 move = (a_moves ? a.move : Vec3{}) - (b_moves ? b.move : Vec3{});
  const Vec3 offset = pa - pb;
  const double reach = a.radius + b.radius + geometry::kSkin;
  // The bounding circles first: most pairs end here.
  const double c = offset.x * offset.x + offset.y * offset.y - reach * reach;
  if (c > 0) {
    const double b_half = offset.x * move.x + offset.y * move.y;
    if (b_half >= 0) return std::nullopt;
    const double speed = move.x * move.x + move.y * move.y;
    // Apart by more than the motion can close.
    if (b_half * b_half < speed * c) return std::nullopt;
    if (c + 2 * b_half + speed > 0 && -b_half > speed) return std::nullopt;
  }
  if (rows_[a.row].is_circle && rows_[b.row].is_circle) {
    const auto heights =
        geometry::cross_slab(offset.z, move.z, b.low - a.high + geometry::kSkin, b.high - a.low - geometry::kSkin);
    return geometry::meet_circles(offset.xy(), move.xy(), a.radius + b.radius, heights);
  }
  const ShapeLibrary& library = world.shapes();
  // One order for both sides: the same pair must get the same answer to the last bit.
  if (a.row < b.row)
    return geometry::meet(library, library.set(a.shape_set), sweep(a, a_from, a_moves), library.set(b.shape_set),
                          sweep(b, b_from, b_moves));
  auto impact = geometry::meet(library, library.set(b.shape_set), sweep(b, b_from, b_moves), library.set(a.shape_set),
                               sweep(a, a_from, a_moves));
  if (impact) impact->normal = -impact->normal;
  return impact;
}

void FootprintServer::limit_by_mover(const World& world, const Mover& mover, const Mover& other, bool others_stop,
                                     Stop& stop) const {
  if (mover.row == other.row) return;
  const std::uint64_t stable = rows_[other.row].stable;
  const auto take = [&](const std::optional<geometry::Impact>& impact, double after, double before) {
    if (!impact) return;
    const double fraction = after + impact->fraction;
    if (fraction < before && sooner(fraction, stable, stop.fraction, stop.other_stable)) {
      stop = {fraction, impact->normal, rows_[other.row].entity, stable};
    }
  };
  if (!others_stop) {
    take(meet(world, mover, 0, true, other, 0, true), 0, 1);
    return;
  }
  const double mine = stops_[mover.row].fraction;
  const double theirs = stops_[other.row].fraction;
  // Both move until the first of them stops; then only the other does, and only its own way can be cut further.
  take(meet(world, mover, 0, true, other, 0, true), 0, std::min(mine, theirs));
  if (mine > theirs) take(meet(world, mover, theirs, true, other, theirs, false), theirs, mine);
}

void FootprintServer::limit_by_statics(const World& world, const Mover& mover, Stop& stop) const {
  if (statics_.empty()) return;
  const Vec2 middle = mover.middle();
  const double reach = mover.reach + geometry::kSkin;
  const geometry::Box box{{middle.x - reach, middle.y - reach}, {middle.x + reach, middle.y + reach}};
  const ShapeLibrary& library = world.shapes();
  statics_.query(box, [&](const StaticIndex::Item& item) {
    const double low = std::min(mover.from.z, mover.from.z + mover.move.z) + mover.low;
    const double high = std::max(mover.from.z, mover.from.z + mover.move.z) + mover.high;
    if (low > item.high || high < item.low) return;
    const geometry::Sweep own = sweep(mover, 0, true);
    geometry::Sweep still;
    still.from = {item.frame.at.x, item.frame.at.y, item.z};
    still.orientation = from_heading(item.frame.heading);
    const auto impact = geometry::meet(library, library.set(mover.shape_set), own, *item.shape, still);
    if (impact && sooner(impact->fraction, item.stable, stop.fraction, stop.other_stable)) {
      stop = {impact->fraction, impact->normal, item.entity, item.stable};
    }
  });
}

FootprintServer::Stop FootprintServer::limit(const World& world, const Mover& mover, bool others_stop) const {
  Stop stop;
  stop.other_stable = ~std::uint64_t{0};
  if (others_stop) stop = stops_[mover.row];
  const bool turns = turns_[mover.row] != 0 && !rows_[mover.row].is_circle;
  const bool still = mover.move == Vec3{} && !turns;
  // What stands still is not stopped by walls, and what moves into it stops there by itself.
  if (!still && !others_stop) limit_by_statics(world, mover, stop);
  if (!still) {
    const Vec2 middle = mover.middle();
    visit_movers(middle, mover.reach + geometry::kSkin, [&](const Mover& other) {
      // Most candidates are simply too far away.
      const double dx = other.from.x + 0.5 * other.move.x - middle.x;
      const double dy = other.from.y + 0.5 * other.move.y - middle.y;
      const double reach = mover.reach + other.reach + geometry::kSkin;
      if (dx * dx + dy * dy <= reach * reach) limit_by_mover(world, mover, other, others_stop, stop);
    });
  }
  return stop;
}

void FootprintServer::find_stops(const World& world, ThreadPool& threads) {
  stops_.resize(movers_.size());
  const std::vector<Mover>& sorted = grid_.sorted();
  threads.for_each_chunk(sorted.size(), kBodiesPerChunk / 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) stops_[sorted[i].row] = limit(world, sorted[i], false);
  });
}

// Whoever was stopped is where others did not expect it. Their ways are cut again until nobody runs into anybody; ways
// only get shorter, and a body that stays where it was is never in the wrong, so this ends.
void FootprintServer::settle(const World& world) {
  std::vector<std::uint32_t> changed;
  for (std::uint32_t row = 0; row < stops_.size(); ++row) {
    if (stops_[row].fraction < 1) changed.push_back(row);
  }
  std::vector<std::uint8_t> marked(stops_.size(), 0);
  std::vector<std::uint32_t> affected;
  std::vector<Stop> next;
  constexpr int kPatience = 16;
  for (int round = 0; !changed.empty(); ++round) {
    affected.clear();
    for (const std::uint32_t row : changed) {
      const Mover& mover = movers_[row];
      visit_movers(mover.middle(), mover.reach + geometry::kSkin, [&](const Mover& other) {
        if (other.row == row || marked[other.row] != 0 || stops_[other.row].fraction <= 0) return;
        marked[other.row] = 1;
        affected.push_back(other.row);
      });
    }
    next.clear();
    for (const std::uint32_t row : affected) next.push_back(limit(world, movers_[row], true));
    changed.clear();
    for (std::size_t i = 0; i < affected.size(); ++i) {
      const std::uint32_t row = affected[i];
      marked[row] = 0;
      if (next[i].fraction >= stops_[row].fraction) continue;
      stops_[row] = next[i];
      if (round >= kPatience) stops_[row].fraction = 0;
      changed.push_back(row);
    }
  }
}

void FootprintServer::integrate(World& world, const Step& step) {
  const std::span<Pose> poses = world.pool<Pose>().edit_rows();
  const std::span<Velocity> velocities = world.pool<Velocity>().edit_rows();
  const std::span<Odometer> odometers = world.pool<Odometer>().edit_rows();
  spots_.resize(rows_.size());
  step.threads.for_each_chunk(rows_.size(), kBodiesPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Rows& rows = rows_[i];
      const Mover& mover = movers_[i];
      const double fraction = stops_[i].fraction;
      Pose& pose = poses[rows.pose];
      const Vec3 moved = fraction == 1 ? mover.move : mover.move * fraction;
      pose.position = mover.from + moved;
      if (turns_[i] != 0) {
        // A circle can turn where it stands; any other shape turns only as far as it got.
        Quat turn{turn_cos_[i], 0, 0, turn_sin_[i]};
        if (fraction < 1 && !rows.is_circle) turn = math::from_yaw(2 * turns_[i] * fraction);
        const Quat q = pose.orientation * turn;
        const double k = 1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
        pose.orientation = {q.w * k, q.x * k, q.y * k, q.z * k};
      }
      if (fraction < 1 || rows.disabled) velocities[rows.velocity].linear = {};
      if (rows.odometer != kNone) odometers[rows.odometer].distance_m += length(moved);
      // From here on the index stands for where bodies are: queries and rays until the next step read it.
      spots_[grid_.place(static_cast<std::uint32_t>(i))] = {pose.position, mover.radius};
    }
  });
}

// Contacts that began in this step: told once per pair, in the order of ids.
void FootprintServer::report(World& world, const Step& step) {
  const std::span<const Contact> before = std::as_const(world).pool<Contact>().rows();
  const auto begins = [&](std::uint32_t row) {
    if (stops_[row].fraction >= 1) return false;
    if (rows_[row].contact == kNone) return true;
    const Contact& contact = before[rows_[row].contact];
    return contact.touching == 0 || contact.other_slot != stops_[row].other.slot ||
           contact.other_generation != stops_[row].other.generation;
  };
  std::vector<std::uint32_t> begun;
  bool any_contact = false;
  for (std::uint32_t row = 0; row < rows_.size(); ++row) {
    any_contact |=
        stops_[row].fraction < 1 || (rows_[row].contact != kNone && before[rows_[row].contact].touching != 0);
    if (begins(row)) begun.push_back(row);
  }
  if (!any_contact) return;
  std::sort(begun.begin(), begun.end(),
            [&](std::uint32_t a, std::uint32_t b) { return rows_[a].stable < rows_[b].stable; });
  for (const std::uint32_t row : begun) {
    const Stop& stop = stops_[row];
    // A pair that stops each other is one collision, told by the lower id.
    const auto told = std::lower_bound(begun.begin(), begun.end(), stop.other_stable,
                                       [&](std::uint32_t a, std::uint64_t stable) { return rows_[a].stable < stable; });
    if (stop.other_stable < rows_[row].stable && told != begun.end() && rows_[*told].entity == stop.other &&
        stops_[*told].other == rows_[row].entity)
      continue;
    const Mover& mover = movers_[row];
    const Vec3 at = mover.from + mover.move * stop.fraction;
    const Vec3 point{at.x - stop.normal.x * mover.radius, at.y - stop.normal.y * mover.radius,
                     at.z + 0.5 * (mover.low + mover.high)};
    const Time when = step.now - step.dt + Duration::from_seconds(step.dt.seconds() * stop.fraction);
    world.emit({when, "collision", rows_[row].entity, stop.other, point, "", 0});
  }
  std::vector<std::uint8_t> is_begun(rows_.size(), 0);
  for (const std::uint32_t row : begun) is_begun[row] = 1;
  const std::span<Contact> contacts = world.pool<Contact>().edit_rows();
  for (std::uint32_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].contact == kNone) continue;
    Contact& contact = contacts[rows_[row].contact];
    const Stop& stop = stops_[row];
    if (stop.fraction < 1) {
      contact = {stop.normal, contact.touched + is_begun[row], 1, stop.other.slot, stop.other.generation};
    } else if (contact.touching != 0) {
      contact = {{}, contact.touched, 0, 0, 0};
    }
  }
}

void FootprintServer::advance(World& world, const Step& step) {
  update_rows(world);
  if (rows_.empty()) return;
  gather(world, step.dt, step.threads);
  grid_.build(movers_, step.threads);
  find_stops(world, step.threads);
  settle(world);
  integrate(world, step);
  report(world, step);
}

void FootprintServer::refresh(const World& world) {
  static_membership_ = 0;
  row_membership_ = 0;
  update_rows(world);
  ThreadPool alone(1);
  gather(world, Duration{}, alone);
  grid_.build(movers_, alone);
  stops_.assign(movers_.size(), {});
  spots_.resize(movers_.size());
  for (std::size_t place = 0; place < spots_.size(); ++place)
    spots_[place] = {grid_.sorted()[place].from, grid_.sorted()[place].radius};
}

std::size_t FootprintServer::memory() const {
  return rows_.capacity() * sizeof(Rows) + movers_.capacity() * sizeof(Mover) + turns_.capacity() * 3 * sizeof(double) +
         stops_.capacity() * sizeof(Stop) + spots_.capacity() * sizeof(Spot) + grid_.memory();
}

}  // namespace strata

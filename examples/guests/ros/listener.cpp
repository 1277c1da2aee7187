#include <ros/ros.h>
#include <std_msgs/String.h>
static long received = 0;
static unsigned long hash = 1;
static double worst = 0;
static void hear(const std_msgs::String::ConstPtr& m) {
  ++received;
  for (char c : m->data) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211UL;
  const double late = ros::Time::now().toSec() - std::stod(m->data.substr(m->data.find(' ')));
  if (late > worst) worst = late;
}
int main(int argc, char** argv) {
  ros::init(argc, argv, "listener");
  ros::NodeHandle node;
  const long count = argc > 1 ? std::atol(argv[1]) : 1000;
  ros::Subscriber in = node.subscribe("chatter", 100, &hear);
  while (ros::ok() && received < count) {
    ros::spinOnce();
    ros::WallDuration(0.001).sleep();
  }
  std::printf("listener: %ld messages, worst delay %.6f s, %016lx\n", received, worst, hash);
}
